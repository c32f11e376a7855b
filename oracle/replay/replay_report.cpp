#include "oracle/replay/replay_report.h"

#include "fixtures/error.h"
#include "oracle/replay/teacher_forced.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

struct ChosenProfile {
  const RoundingProfile* profile;
  std::string reason;
};

ChosenProfile chosen_profile(const CaptureInfo& info, const std::string& wanted) {
  if (!wanted.empty()) {
    if (const RoundingProfile* profile = find_rounding_profile(wanted)) return {profile, "asked for"};
    std::vector<std::string_view> names;
    for (const RoundingProfile& profile : rounding_profiles()) names.push_back(profile.name);
    throw InputError(
        fmt::format("profile '{}': expected one of {}", wanted, fmt::format("{}", fmt::join(names, ", "))));
  }
  std::string producer = info.producer;
  std::ranges::transform(producer, producer.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* mark : {"cuda,", "nvidia"}) {
    if (producer.find(mark) != std::string::npos)
      return {&hf_cuda_profile(), fmt::format("its producer says \"{}\"", info.producer)};
  }
  return {&hf_cpu_profile(), fmt::format("its producer \"{}\" names no GPU", info.producer)};
}

void teacher_forced(const ModelCapture& capture, const RoundingProfile& profile, const ReplayRequest& request,
                    ReplayReport& report) {
  ReplayModel model = load_replay_model(capture);
  if (request.options.layer &&
      (*request.options.layer < 0 || *request.options.layer >= model.config.layers())) {
    throw InputError(fmt::format("layer {}: the capture has layers 0 to {}", *request.options.layer,
                                 model.config.layers() - 1));
  }
  TeacherForcedReplay replay(capture, profile, std::move(model));
  report.taps = replay.run(request.options);
  report.without_inputs = replay.without_inputs();
  report.unknown = replay.unknown();
  if (const TapReport* first = report.first_divergence()) {
    report.status = Status::fail;
    report.reason = fmt::format(
        "forward {}: {} ({}) is the first beyond its bound: [{}, {}, {}] recorded {:.9g}, ours {:.9g} ± "
        "{:.3g}",
        first->forward, first->name, first->operation, first->worst.batch, first->worst.token,
        first->worst.column, first->worst.recorded, first->worst.ours, first->worst.bound);
  } else if (std::ranges::none_of(report.taps, [](const TapReport& tap) { return tap.elements > 0; })) {
    report.status = Status::vacuous;
    report.reason = "no tap to compare";
  }
}

void judge_selections(const ModelCapture& capture, const RoundingProfile& profile, int threads,
                      ReplayReport& report) {
  bool recorded = false;
  for (const ModelCapture::Forward& forward : capture.forwards()) {
    if (!capture.has(forward, "selection/lengths")) continue;
    const std::vector<std::string> taps = capture.list(forward, "taps");
    recorded = std::ranges::any_of(
        taps, [](const std::string& tap) { return tap.ends_with(".indexer.index_qk_proj/out"); });
    if (!recorded) return;  // nothing to score the blocks with
  }
  if (!recorded) return;
  IndexerOptions options;
  options.profile = &profile;
  options.threads = threads;
  report.selection = judge_indexer(capture, options);
  if (report.selection->status == Status::fail && report.status != Status::fail) {
    report.status = Status::fail;
    report.reason = "selection: " + report.selection->reason;
  }
}

}  // namespace

double OperationSummary::bit_equal_share() const {
  return elements == 0 ? 1 : static_cast<double>(bit_equal) / static_cast<double>(elements);
}

std::vector<OperationSummary> summarise(const std::vector<TapReport>& taps, bool by_layer) {
  std::vector<OperationSummary> all;
  for (const TapReport& tap : taps) {
    const std::optional<std::int64_t> layer = by_layer ? layer_of_tap(tap.name) : std::nullopt;
    const std::string label = layer ? std::to_string(*layer) : "-";
    auto found = std::ranges::find_if(all, [&](const OperationSummary& summary) {
      return summary.layer == label && summary.operation == tap.operation;
    });
    if (found == all.end()) {
      OperationSummary fresh;
      fresh.layer = label;
      fresh.operation = tap.operation;
      found = all.insert(all.end(), fresh);
    }
    ++found->taps;
    found->elements += tap.elements;
    found->bit_equal += tap.bit_equal;
    found->beyond_bound += tap.beyond_bound;
    found->max_ulp = std::max(found->max_ulp, tap.max_ulp);
    found->max_partial_ulp = std::max(found->max_partial_ulp, tap.max_partial_ulp);
    found->used_share = std::max(found->used_share, tap.used_share);
    add_to(found->ulp_histogram, tap.ulp_histogram);
  }
  return all;
}

const TapReport* ReplayReport::first_divergence() const {
  const auto found = std::ranges::find_if(taps, [](const TapReport& tap) { return !tap.within_bound(); });
  return found == taps.end() ? nullptr : &*found;
}

ReplayReport replay_capture(const std::string& path, const ReplayRequest& request) {
  const CaptureInfo info = read_capture_info(path);
  if (info.kind != CaptureKind::model)
    throw InputError(path, "model_type", "qwen4_exp_text", info.model_type);
  const ModelCapture capture(path);
  const ChosenProfile chosen = chosen_profile(info, request.profile);
  ReplayReport report;
  report.file = path;
  report.mode = request.mode;
  report.profile = chosen.profile->name;
  report.profile_reason = chosen.reason;
  if (request.mode == ReplayMode::free) {
    report.free = run_freely(capture, *chosen.profile);
    report.status = report.free->status;
    report.reason = report.free->reason;
  } else {
    teacher_forced(capture, *chosen.profile, request, report);
  }
  const ReplayOptions& options = request.options;
  if (request.judge_selections && !options.layer && !options.wanted && !options.stop_at_first)
    judge_selections(capture, *chosen.profile, request.threads, report);
  if (request.judge_selections && report.free && report.free->selections_parted > 0 && !report.selection &&
      report.status == Status::pass) {
    report.status = Status::vacuous;
    report.reason =
        fmt::format("{} selections part, the first at {}, and the capture holds nothing to judge them by",
                    report.free->selections_parted, report.free->first_parted_selection);
  }
  return report;
}

}  // namespace plumbline

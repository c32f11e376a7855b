#include "oracle/replay/free_running.h"

#include "oracle/replay/recorded_selection.h"
#include "oracle/replay/replay_model.h"
#include "reference/model/qwen4_exp.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// One model with a cache for each sequence of the capture.
class FreeModel {
 public:
  FreeModel(const ModelCapture& capture, const ReplayModel& model, const RoundingProfile& profile)
      : model_(model.config, model.weights, profile),
        delta_rule_(delta_rule_of(profile)),
        expert_sum_(expert_sum_of(capture.info())) {}

  Rows<double> forward(const RecordedForward& call, const LiveTokens& live,
                       const RecordedSelection& selection, SelectionFollowing& tally) {
    while (static_cast<std::int64_t>(caches_.size()) <= live.batch) caches_.push_back(model_.new_cache());
    ForwardOptions options;
    options.delta_rule = delta_rule_;
    options.expert_sum = expert_sum_;
    options.choose_blocks = [&](std::int64_t layer, std::int64_t row,
                                const std::vector<std::int32_t>& canonical,
                                const QsaLayer::SameScore& same_score) {
      return selection.follow(layer, live, row, canonical, same_score, tally);
    };
    return model_.forward(call.tokens(live), call.coordinates(live),
                          caches_[static_cast<std::size_t>(live.batch)], options);
  }

 private:
  Qwen4Exp model_;
  DeltaRuleForm delta_rule_;
  ExpertSum expert_sum_;
  std::vector<ModelCache> caches_;
};

/// Of the first `rows` rows. Not a number counts as infinitely far.
double largest_difference(const Rows<double>& a, const Rows<double>& b, std::int64_t rows) {
  double largest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows * a.width); ++i) {
    const double difference = std::abs(a.numbers[i] - b.numbers[i]);
    largest = std::max(largest, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return largest;
}

/// How many of the sequence's tokens in this call stand before every selection that parted.
std::int64_t tokens_before_parting(const SelectionFollowing& tally, const LiveTokens& live) {
  const auto parted = tally.parted_from.find(live.batch);
  return parted == tally.parted_from.end()
             ? live.count
             : std::clamp<std::int64_t>(parted->second - live.earlier, 0, live.count);
}

std::int64_t argmax(std::span<const double> row) { return std::ranges::max_element(row) - row.begin(); }

void compare_choices(const Rows<double>& recorded, const Rows<double>& ours, const RecordedForward& call,
                     const LiveTokens& live, std::int64_t judged, FreeRunningReport& report) {
  for (std::int64_t t = 0; t < ours.rows; ++t) {
    const std::int64_t theirs = argmax(recorded.row(t)), own = argmax(ours.row(t));
    ++report.rows;
    if (theirs == own) {
      ++report.argmax_equal;
      continue;
    }
    const double margin =
        recorded.row(t)[static_cast<std::size_t>(theirs)] - recorded.row(t)[static_cast<std::size_t>(own)];
    report.partings.push_back({call.name(), live.batch, live.first + t, theirs, own, margin, t < judged});
  }
}

double unit_roundoff(DType storage) {
  return storage == DType::float32 ? 0x1p-24 : storage == DType::float16 ? 0x1p-11 : 0x1p-8;
}

void decide(FreeRunningReport& report) {
  const auto fail = [&](std::string reason) {
    report.status = Status::fail;
    report.reason = std::move(reason);
  };
  if (report.rows == 0) {
    report.status = Status::vacuous;
    report.reason = "no live token has logits";
    return;
  }
  if (report.judged == 0) {
    report.status = Status::vacuous;
    report.reason = "every sequence parts from the engine's at its first selection";
    return;
  }
  const auto widest = std::ranges::max_element(
      report.partings, {},
      [](const FreeRunningReport::Parting& one) { return one.judged ? one.margin : -1; });
  if (widest != report.partings.end() && widest->judged && !(widest->margin <= report.bound)) {
    fail(
        fmt::format("forward {}, batch row {}, token {}: largest logit at {} recorded, at {} in ours, {:.3g} "
                    "apart (allowed {:.3g})",
                    widest->forward, widest->batch, widest->token, widest->recorded, widest->ours,
                    widest->margin, report.bound));
  } else if (!(report.max_abs_judged <= report.bound)) {
    fail(fmt::format("logits differ by up to {:.3g}, more than {:.3g}", report.max_abs_judged, report.bound));
  }
}

}  // namespace

double free_running_bound(const ModelConfig& config, const RoundingProfile& profile, double ours_to_exact) {
  const std::int64_t longest = std::max(
      {config.streams * config.indexer.hidden_size, config.attention.heads * config.attention.head_dim,
       config.gdn_value_heads * config.gdn_value_dim, config.expert_width, config.shared_expert_width});
  const DType storage = profile.store_activations ? config.indexer.storage : DType::float32;
  const double sums = std::sqrt(static_cast<double>(longest)) * 0x1p-24;
  return ours_to_exact * (2 + sums / unit_roundoff(storage));
}

FreeRunningReport run_freely(const ModelCapture& capture, const RoundingProfile& profile) {
  const ReplayModel model = load_replay_model(capture);
  FreeModel ours(capture, model, profile), exact(capture, model, exact_profile());
  FreeRunningReport report;
  SelectionFollowing tally, exact_tally;
  for (const ModelCapture::Forward& call : capture.forwards()) {
    const RecordedForward forward(capture, call);
    const RecordedSelection selection(forward, model.config);
    for (const LiveTokens& live : forward.sequences()) {
      const Rows<double> our_logits = ours.forward(forward, live, selection, tally);
      const Rows<double> exact_logits = exact.forward(forward, live, selection, exact_tally);
      const std::int64_t judged =
          std::min(tokens_before_parting(tally, live), tokens_before_parting(exact_tally, live));
      report.ours_to_exact =
          std::max(report.ours_to_exact, largest_difference(our_logits, exact_logits, judged));
      if (!forward.has("logits")) continue;
      const Rows<double> recorded = forward.live_rows("logits", live);
      if (recorded.width != our_logits.width) {
        throw InputError(capture.info().path, "/forward/" + forward.name() + "/logits",
                         fmt::format("{} numbers a token", our_logits.width), std::to_string(recorded.width));
      }
      report.judged += judged;
      report.max_abs = std::max(report.max_abs, largest_difference(recorded, our_logits, live.count));
      report.max_abs_judged =
          std::max(report.max_abs_judged, largest_difference(recorded, our_logits, judged));
      report.max_abs_to_exact =
          std::max(report.max_abs_to_exact, largest_difference(recorded, exact_logits, live.count));
      compare_choices(recorded, our_logits, forward, live, judged, report);
    }
  }
  report.selections = tally.rows;
  report.followed_at_ties = tally.followed;
  report.selections_parted = tally.parted;
  report.first_parted_selection = tally.first_parted;
  report.bound = free_running_bound(model.config, profile, report.ours_to_exact);
  decide(report);
  return report;
}

}  // namespace plumbline

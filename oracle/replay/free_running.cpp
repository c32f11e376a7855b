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

/// Not a number counts as infinitely far.
double largest_difference(const Rows<double>& a, const Rows<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const double difference = std::abs(a.numbers[i] - b.numbers[i]);
    largest = std::max(largest, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return largest;
}

std::int64_t argmax(std::span<const double> row) { return std::ranges::max_element(row) - row.begin(); }

void compare_choices(const Rows<double>& recorded, const Rows<double>& ours, const RecordedForward& call,
                     const LiveTokens& live, FreeRunningReport& report) {
  for (std::int64_t t = 0; t < ours.rows; ++t) {
    const std::int64_t theirs = argmax(recorded.row(t)), own = argmax(ours.row(t));
    ++report.rows;
    if (theirs == own) {
      ++report.argmax_equal;
      continue;
    }
    const double margin =
        recorded.row(t)[static_cast<std::size_t>(theirs)] - recorded.row(t)[static_cast<std::size_t>(own)];
    report.partings.push_back({call.name(), live.batch, live.first + t, theirs, own, margin});
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
  if (!std::isfinite(report.bound)) {
    report.status = Status::vacuous;
    report.reason = "our own logits are not finite, so that no bound can be measured";
    return;
  }
  const auto widest = std::ranges::max_element(report.partings, {}, &FreeRunningReport::Parting::margin);
  if (widest != report.partings.end() && !(widest->margin <= report.bound)) {
    fail(
        fmt::format("forward {}, batch row {}, token {}: largest logit at {} recorded, at {} in ours, {:.3g} "
                    "apart (allowed {:.3g})",
                    widest->forward, widest->batch, widest->token, widest->recorded, widest->ours,
                    widest->margin, report.bound));
  } else if (!(report.max_abs <= report.bound)) {
    fail(fmt::format("logits differ by up to {:.3g}, more than {:.3g}", report.max_abs, report.bound));
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

namespace {

FreeRunningReport compare(const ModelCapture& capture, const ReplayModel& model,
                          const RoundingProfile& profile, bool conditioned) {
  FreeModel ours(capture, model, profile), exact(capture, model, exact_profile());
  FreeRunningReport report;
  SelectionFollowing tally{.conditioned = conditioned, .first_parted = {}}, exact_tally = tally;
  for (const ModelCapture::Forward& call : capture.forwards()) {
    const RecordedForward forward(capture, call);
    const RecordedSelection selection(forward, model.config);
    for (const LiveTokens& live : forward.sequences()) {
      const Rows<double> our_logits = ours.forward(forward, live, selection, tally);
      const Rows<double> exact_logits = exact.forward(forward, live, selection, exact_tally);
      report.ours_to_exact = std::max(report.ours_to_exact, largest_difference(our_logits, exact_logits));
      if (!forward.has("logits")) continue;
      const Rows<double> recorded = forward.live_rows("logits", live);
      if (recorded.width != our_logits.width) {
        throw InputError(capture.info().path, "/forward/" + forward.name() + "/logits",
                         fmt::format("{} numbers a token", our_logits.width), std::to_string(recorded.width));
      }
      report.max_abs = std::max(report.max_abs, largest_difference(recorded, our_logits));
      report.max_abs_to_exact = std::max(report.max_abs_to_exact, largest_difference(recorded, exact_logits));
      compare_choices(recorded, our_logits, forward, live, report);
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

}  // namespace

FreeRunningReport run_freely(const ModelCapture& capture, const RoundingProfile& profile) {
  const ReplayModel model = load_replay_model(capture);
  FreeRunningReport report = compare(capture, model, profile, false);
  if (report.selections_parted == 0) return report;
  const FreeRunningReport conditioned = compare(capture, model, profile, true);
  report.conditioned = {conditioned.argmax_equal, conditioned.max_abs, conditioned.bound};
  report.status = conditioned.status;
  report.reason = conditioned.reason;
  return report;
}

}  // namespace plumbline

#include "oracle/summation/split_trials.h"

#include "oracle/summation/split_faults.h"
#include "reference/numeric/ulp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// Seeds of different uses never meet.
constexpr std::uint64_t kFaultStream = 0x9E3779B97F4A7C15;

std::int64_t ulps(float a, float b) {
  return ulp_distance(DType::float32, std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b));
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
      [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

/// The same order with every pair of summands the other way round; neighbours of a delta net keep theirs.
SumTree mirrored(const SumTree& tree) {
  SumTree other;
  for (const SumTree::Node& node : tree.nodes()) {
    if (node.count == 0) {
      other.add_leaf(node.term);
      continue;
    }
    const auto children = tree.children(node);
    other.add_node(std::vector<std::int32_t>(children.rbegin(), children.rend()));
  }
  return other;
}

/// The plan's first split with all terms in their order, the others empty, or no others.
SplitPlan all_in_one(const SplitPlan& plan, std::size_t split, std::size_t splits) {
  SplitPlan other = plan;
  other.splits.assign(splits, {});
  for (std::int32_t term = 0; term < plan.terms(); ++term) other.splits[split].push_back(term);
  other.merge = tree_of({}, static_cast<std::int64_t>(splits));
  return other;
}

/// The plan with an empty split more in front or at the end; merged first or last.
SplitPlan with_empty(const SplitPlan& plan, bool in_front) {
  SplitPlan other = plan;
  const std::int32_t shift = in_front ? 1 : 0;
  other.splits.insert(in_front ? other.splits.begin() : other.splits.end(), std::vector<std::int32_t>{});
  std::vector<std::int32_t> numbers(plan.splits.size());
  for (std::size_t s = 0; s < numbers.size(); ++s) numbers[s] = static_cast<std::int32_t>(s) + shift;
  other.merge = SumTree();
  const std::int32_t empty =
      in_front ? other.merge.add_leaf(0) : -1;  // neighbours: the earlier one is built first
  const std::int32_t all = other.merge.add_tree(plan.merge, numbers);
  if (in_front) {
    other.merge.add_node(empty, all);
  } else {
    const std::int32_t last = other.merge.add_leaf(static_cast<std::int32_t>(plan.splits.size()));
    other.merge.add_node(all, last);
  }
  return other;
}

}  // namespace

SplitOutcome judge_split(const SplitCase& one) {
  const auto bits = split_outputs<float>(one);
  const auto bounds = split_outputs<Bounded>(one);
  const auto likely = split_outputs<Likely>(one);
  const auto exact = exact_outputs(one);
  SplitOutcome outcome;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const double deviation = std::abs(bits[i] - exact[i].value);
    const double bound = bounds[i].error + exact[i].error,
                 companion = likely_bound(likely[i]) + exact[i].error;
    ++outcome.elements;
    if (!(deviation <= bound) || !std::isfinite(bound)) ++outcome.beyond;
    if (!(deviation <= companion)) ++outcome.beyond_likely;
    if (deviation > exact[i].error) {
      outcome.share = std::max(outcome.share, deviation / bound);
      outcome.likely_share = std::max(outcome.likely_share, deviation / companion);
    }
    outcome.ulp = std::max(outcome.ulp, ulps(bits[i], exact[i].nearest));
  }
  return outcome;
}

std::string compare_equal_plans(const SplitCase& one) {
  const auto outputs = [&](const SplitPlan& plan) {
    SplitCase other = one;
    other.plan = plan;
    return split_outputs<float>(other);
  };
  const auto bits = outputs(one.plan);
  const bool ordered = one.reduction == Reduction::delta_state;
  if (!ordered) {
    SplitPlan plan = one.plan;
    plan.merge = mirrored(plan.merge);
    if (!same_bits(outputs(plan), bits)) return "the same merge written the other way round";
  }
  // A ring's order depends on the number of ranks, so empty ones shift it; the tree's does as well.
  const bool any_merge = one.reduction != Reduction::o_proj && one.reduction != Reduction::moe_down;
  if (any_merge && !same_bits(outputs(with_empty(one.plan, true)), bits)) return "an empty split in front";
  if (any_merge && !same_bits(outputs(with_empty(one.plan, false)), bits)) return "an empty split at the end";
  const std::size_t splits = one.plan.splits.size();
  const auto unsplit = outputs(all_in_one(one.plan, 0, 1));
  for (std::size_t s = 0; s < splits; ++s) {
    if (!same_bits(outputs(all_in_one(one.plan, s, splits)), unsplit))
      return fmt::format("all terms in split {} of {}", s, splits);
  }
  return "";
}

bool weighs_enough(const SplitCase& one, const SplitFault& fault) {
  const auto sound = split_outputs<Bounded>(one), faulty = split_outputs<Bounded>(one, fault);
  for (std::size_t i = 0; i < sound.size(); ++i) {
    const double bound = std::max(sound[i].error, faulty[i].error);
    if (bound > 0 && std::abs(faulty[i].value - sound[i].value) > 4 * bound) return true;
  }
  return false;
}

bool is_caught(const SplitCase& one, const SplitFault& fault) {
  const auto bits = split_outputs<float>(one, fault);
  const auto bounds = split_outputs<Bounded>(one);
  const auto exact = exact_outputs(one);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (!(std::abs(bits[i] - exact[i].value) <= bounds[i].error + exact[i].error)) return true;
  }
  return false;
}

void SplitTally::add(const SplitOutcome& outcome) {
  ++cases;
  elements += outcome.elements;
  beyond += outcome.beyond;
  beyond_likely += outcome.beyond_likely;
  share = std::max(share, outcome.share);
  likely_share = std::max(likely_share, outcome.likely_share);
  ulp = std::max(ulp, outcome.ulp);
}

void SplitTally::add(const SplitTally& other) {
  cases += other.cases;
  elements += other.elements;
  beyond += other.beyond;
  beyond_likely += other.beyond_likely;
  share = std::max(share, other.share);
  likely_share = std::max(likely_share, other.likely_share);
  ulp = std::max(ulp, other.ulp);
}

namespace {

/// One piece of the trials; pieces are joined in their order.
SplitTrials run_piece(Reduction reduction, const SplitTrialOptions& options, std::int64_t first,
                      std::int64_t last) {
  SplitTrials trials;
  trials.reduction = reduction;
  const auto families = all_split_data();
  for (const SplitData data : families) trials.by_data.push_back({.data = data});
  const auto fail = [&](const SplitCase& one, const std::string& what) {
    if (trials.failures.size() < SplitTrials::kMost) trials.failures.push_back(what + ": " + one.describe());
  };
  for (std::int64_t i = first; i < last; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const auto family = static_cast<std::size_t>(i) % families.size();
    const SplitCase one = make_split_case(reduction, families[family], seed);
    const SplitOutcome outcome = judge_split(one);
    trials.by_data[family].add(outcome);
    ++trials.cases;
    if (outcome.beyond > 0) fail(one, "beyond the plan's bound");
    if (options.equal_every > 0 && i % options.equal_every == 0) {
      ++trials.equal_compared;
      if (const std::string different = compare_equal_plans(one); !different.empty())
        fail(one, "other bits from " + different);
    }
    if (options.fault_every == 0 || i % options.fault_every != 0) continue;
    Random random(seed ^ kFaultStream);
    const SplitFault fault = placed(planted_faults()[random.below(planted_faults().size())], one, random);
    if (!weighs_enough(one, fault)) continue;
    ++trials.faults_planted;
    if (is_caught(one, fault)) {
      ++trials.faults_caught;
    } else {
      fail(one, "a planted fault went unseen");
    }
  }
  return trials;
}

}  // namespace

SplitTrials run_split_trials(Reduction reduction, const SplitTrialOptions& options) {
  constexpr std::int64_t kPiece = 1000;
  const std::int64_t pieces = (options.cases + kPiece - 1) / kPiece;
  std::vector<SplitTrials> all(static_cast<std::size_t>(pieces));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t piece = 0; piece < pieces; ++piece)
    all[static_cast<std::size_t>(piece)] =
        run_piece(reduction, options, piece * kPiece, std::min(options.cases, (piece + 1) * kPiece));
  SplitTrials trials = run_piece(reduction, options, 0, 0);
  for (const SplitTrials& piece : all) {
    for (std::size_t f = 0; f < trials.by_data.size(); ++f) trials.by_data[f].add(piece.by_data[f]);
    trials.cases += piece.cases;
    trials.equal_compared += piece.equal_compared;
    trials.faults_planted += piece.faults_planted;
    trials.faults_caught += piece.faults_caught;
    for (const std::string& failure : piece.failures) {
      if (trials.failures.size() < SplitTrials::kMost) trials.failures.push_back(failure);
    }
  }
  return trials;
}

}  // namespace plumbline

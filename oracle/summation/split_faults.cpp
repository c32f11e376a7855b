#include "oracle/summation/split_faults.h"

#include "oracle/summation/split_trials.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace plumbline {
namespace {

using Kind = SplitFault::Kind;
constexpr std::array<SplitFault, 6> kFaults = {{{Kind::dropped, 0, 1},
                                                {Kind::doubled, 0, 1},
                                                {Kind::scaled, 0, 0.5f},
                                                {Kind::scaled, 0, 2},
                                                {Kind::scaled, 0, -1},
                                                {Kind::scaled, 0, 0.75f}}};
/// Seeds of different hunts never meet.
constexpr std::uint64_t kHuntStream = 0xD1B54A32D192ED03;

/// Cases until the fault is seen, or 0.
std::int64_t hunt_once(Reduction reduction, const SplitFault& fault, Random random) {
  const auto families = all_split_data();
  for (std::int64_t tried = 1; tried <= FaultHunt::kMost; ++tried) {
    const SplitData data = families[static_cast<std::size_t>(tried - 1) % families.size()];
    const SplitCase one = make_split_case(reduction, data, random.next());
    if (is_caught(one, placed(fault, one, random))) return tried;
  }
  return 0;
}

}  // namespace

std::span<const SplitFault> planted_faults() { return kFaults; }

std::string describe(const SplitFault& fault) {
  switch (fault.kind) {
    case Kind::none:
      return "none";
    case Kind::dropped:
      return "dropped";
    case Kind::doubled:
      return "doubled";
    default:
      return fmt::format("scaled by {}", fault.factor);
  }
}

SplitFault placed(SplitFault fault, const SplitCase& one, Random& random) {
  std::vector<std::size_t> filled;
  for (std::size_t split = 0; split < one.plan.splits.size(); ++split) {
    if (!one.plan.splits[split].empty()) filled.push_back(split);
  }
  fault.split = filled[random.below(filled.size())];
  return fault;
}

FaultHunt hunt_fault(Reduction reduction, const SplitFault& fault, std::int64_t hunts, std::uint64_t seed) {
  std::vector<std::int64_t> cases(static_cast<std::size_t>(hunts));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < hunts; ++i)
    cases[static_cast<std::size_t>(i)] =
        hunt_once(reduction, fault, Random(seed ^ kHuntStream).split(static_cast<std::uint64_t>(i)));
  FaultHunt hunt = {.reduction = reduction, .fault = fault, .hunts = hunts};
  hunt.missed = std::ranges::count(cases, 0);
  hunt.first_case = std::ranges::count(cases, 1);
  for (const std::int64_t one : cases) hunt.most_cases = std::max(hunt.most_cases, one);
  return hunt;
}

std::string hunts_table(const std::vector<FaultHunt>& hunts) {
  std::string text = fmt::format("{:<12} {:<16} {:>6} {:>14} {:>12} {:>7}\n", "reduction", "fault", "hunts",
                                 "in first case", "most cases", "missed");
  for (const FaultHunt& hunt : hunts)
    text += fmt::format("{:<12} {:<16} {:>6} {:>14} {:>12} {:>7}\n", name_of(hunt.reduction),
                        describe(hunt.fault), hunt.hunts, hunt.first_case, hunt.most_cases, hunt.missed);
  return text;
}

}  // namespace plumbline

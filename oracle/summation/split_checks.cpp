#include "oracle/summation/split_checks.h"

#include "oracle/run/repro.h"
#include "oracle/summation/rank_trial.h"
#include "oracle/summation/split_trials.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCases = 4000;

PlannedCheck plan(Reduction reduction, std::uint64_t seed) {
  PlannedCheck check;
  check.name = fmt::format("split/{}", name_of(reduction));
  check.kind = CheckKind::split;
  check.source = fmt::format("{} cases from seed {}", kCases, seed);
  check.subject = "cpu-split";
  std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(check.name)};
  if (seed != 0) words.insert(words.end(), {"--seed", std::to_string(seed)});
  check.repro = repro_line(words, check.source);
  check.run = [reduction, seed](CheckResult& result) {
    result.split = run_split_trials(reduction, {.cases = kCases, .seed = seed});
    if (!result.split->sound()) {
      result.status = Status::fail;
      result.reason = result.split->failures[0];
    } else if (result.split->faults_planted == 0) {
      result.status = Status::vacuous;
      result.reason = "no fault weighed enough to be planted";
    }
  };
  return check;
}

/// The first of the orders that hand one sum to all ranks which did not, or left its bound.
const RankOutcome* unsound(const std::vector<RankOutcome>& outcomes) {
  const auto found = std::ranges::find_if_not(outcomes, &RankOutcome::sound);
  return found == outcomes.end() ? nullptr : &*found;
}

PlannedCheck plan_ranks(const std::string& golden, const std::string& path) {
  PlannedCheck check;
  check.name = "split/ranks/" + golden;
  check.kind = CheckKind::split;
  check.source = path;
  check.subject = "cpu-split";
  check.repro = repro_line({"plumbline", "verify", "--filter", exact_filter(check.name)}, "file " + path);
  check.run = [path](CheckResult& result) {
    result.ranks = try_ranks(ModelCapture(path));
    if (const RankOutcome* outcome = unsound(result.ranks)) {
      result.status = Status::fail;
      result.reason = fmt::format(
          "{} on {} ranks ({}, {}): {} elements beyond the bound, {} with other bits on other ranks, {} "
          "tokens "
          "select otherwise there",
          outcome->projection, outcome->ranks, name_of(outcome->order), name_of(outcome->partial),
          outcome->beyond, outcome->ranks_differ, outcome->selections_differ);
    }
  };
  return check;
}

}  // namespace

std::vector<PlannedCheck> split_checks(std::uint64_t seed_shift, const std::string& fixtures) {
  std::vector<PlannedCheck> checks;
  for (const Reduction reduction : all_reductions()) checks.push_back(plan(reduction, seed_shift));
  for (const char* golden : {"tiny_fp32", "tiny_fp16", "tiny_bf16"}) {
    const fs::path path = fs::path(fixtures) / (std::string(golden) + ".h5");
    if (fs::exists(path)) checks.push_back(plan_ranks(golden, path.string()));
  }
  return checks;
}

}  // namespace plumbline

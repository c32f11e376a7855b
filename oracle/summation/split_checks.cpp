#include "oracle/summation/split_checks.h"

#include "oracle/run/repro.h"
#include "oracle/summation/split_trials.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

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

}  // namespace

std::vector<PlannedCheck> split_checks(std::uint64_t seed_shift) {
  std::vector<PlannedCheck> checks;
  for (const Reduction reduction : all_reductions()) checks.push_back(plan(reduction, seed_shift));
  return checks;
}

}  // namespace plumbline

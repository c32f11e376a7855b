#include "oracle/selftest/kill_matrix.h"

#include "oracle/selftest/accusations.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace plumbline::selftest {
namespace {

HonestTrial try_honest(const Suite& suite, std::int64_t wanted) {
  HonestTrial honest{suite.name, 0, {}};
  std::int64_t before = 0;
  for (std::uint64_t shift = 0;; ++shift) {
    const Trial trial = suite.run("", shift);
    before = honest.cases;
    honest.cases += trial.cases;
    for (Accusation accusation : trial.accusations) {
      accusation.what += fmt::format(" (seeds shifted by {})", shift);
      honest.accusations.push_back(std::move(accusation));
    }
    if (honest.cases >= wanted || honest.cases == before || !suite.generated) return honest;
  }
}

}  // namespace

const Accusation* TriedMutant::kill() const {
  const auto found = std::ranges::find_if(
      trial.accusations, [&](const Accusation& accusation) { return accusation.check == mutant.check; });
  return found == trial.accusations.end() ? nullptr : &*found;
}

bool TriedMutant::killed() const { return kill() != nullptr; }

std::int64_t KillMatrix::killed() const {
  return std::ranges::count_if(mutants, [](const TriedMutant& tried) { return tried.killed(); });
}

std::int64_t KillMatrix::pass_tolerance() const {
  return std::ranges::count_if(mutants,
                               [](const TriedMutant& tried) { return tried.trial.passes_tolerance == true; });
}

bool KillMatrix::holds() const { return reason().empty(); }

std::string KillMatrix::reason() const {
  for (const HonestTrial& one : honest) {
    if (!one.accusations.empty())
      return fmt::format("{}: the code without a fault is accused by {}: {}", one.suite,
                         one.accusations.front().check, one.accusations.front().what);
  }
  if (mutants.empty()) return "no mutant was tried";
  if (100 * killed() < 95 * std::ssize(mutants))
    return fmt::format("{} of {} mutants were killed, fewer than 95 %", killed(), mutants.size());
  return "";
}

KillMatrix try_mutants(const std::vector<Suite>& suites, const MatrixOptions& options) {
  KillMatrix matrix;
  for (const Suite& suite : suites) {
    std::vector<Mutant> wanted;
    std::ranges::copy_if(suite.mutants, std::back_inserter(wanted),
                         [&](const Mutant& mutant) { return !options.wanted || options.wanted(mutant.id); });
    if (wanted.empty()) continue;
    matrix.checks.emplace_back(suite.name, suite.checks);
    if (options.before) options.before(suite.name + " without a fault");
    matrix.honest.push_back(try_honest(suite, options.honest_cases));
    for (const Mutant& mutant : wanted) {
      if (options.before) options.before(mutant.id);
      const auto start = std::chrono::steady_clock::now();
      TriedMutant tried{suite.name, mutant, suite.run(mutant.id, 0), 0};
      tried.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      matrix.mutants.push_back(std::move(tried));
    }
  }
  return matrix;
}

}  // namespace plumbline::selftest

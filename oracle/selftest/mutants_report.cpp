#include "oracle/selftest/mutants_report.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline::selftest {
namespace {

bool accused_by(const TriedMutant& tried, const std::string& check) {
  return std::ranges::any_of(tried.trial.accusations,
                             [&](const Accusation& accusation) { return accusation.check == check; });
}

std::string matrix_text(const KillMatrix& matrix, const std::string& suite,
                        const std::vector<std::string>& checks) {
  std::string text = fmt::format("\n{}\n", suite);
  for (std::size_t i = 0; i < checks.size(); ++i) text += fmt::format("  {:>2} {}\n", i + 1, checks[i]);
  text += fmt::format("  {:<34}", "");
  for (std::size_t i = 0; i < checks.size(); ++i) text += fmt::format("{:>3}", i + 1);
  text += "  1e-4\n";
  for (const TriedMutant& tried : matrix.mutants) {
    if (tried.suite != suite) continue;
    text += fmt::format("  {:<34}", tried.mutant.id);
    for (const std::string& check : checks) {
      const char* mark = !accused_by(tried, check) ? "." : check == tried.mutant.check ? "K" : "k";
      text += fmt::format("{:>3}", mark);
    }
    const std::optional<bool>& passes = tried.trial.passes_tolerance;
    text += fmt::format("  {}{}\n",
                        !passes   ? ""
                        : *passes ? "passes"
                                  : "sees it",
                        tried.killed() ? "" : "  SURVIVES");
  }
  return text;
}

}  // namespace

Json mutants_json(const KillMatrix& matrix, const Machine& machine) {
  Json report = {{"schema", 1},
                 {"command", "mutants"},
                 {"machine", machine_json(machine)},
                 {"status", matrix.holds() ? "PASS" : "FAIL"},
                 {"reason", matrix.reason()},
                 {"mutants", matrix.mutants.size()},
                 {"killed", matrix.killed()},
                 {"pass_tolerance_1e-4", matrix.pass_tolerance()},
                 {"honest", Json::array()},
                 {"matrix", Json::array()}};
  for (const HonestTrial& honest : matrix.honest) {
    Json accusations = Json::array();
    for (const Accusation& accusation : honest.accusations)
      accusations.push_back({{"check", accusation.check}, {"what", accusation.what}});
    report["honest"].push_back(
        {{"suite", honest.suite}, {"cases", honest.cases}, {"accusations", accusations}});
  }
  for (const TriedMutant& tried : matrix.mutants) {
    Json accusations = Json::object();
    for (const Accusation& accusation : tried.trial.accusations)
      accusations[accusation.check] = accusation.what;
    const std::optional<bool>& passes = tried.trial.passes_tolerance;
    report["matrix"].push_back({{"id", tried.mutant.id},
                                {"suite", tried.suite},
                                {"hazard", tried.mutant.hazard},
                                {"about", tried.mutant.about},
                                {"check", tried.mutant.check},
                                {"killed", tried.killed()},
                                {"passes_tolerance_1e-4", passes ? Json(*passes) : Json(nullptr)},
                                {"cases", tried.trial.cases},
                                {"accusations", accusations}});
  }
  return report;
}

std::string mutants_text(const KillMatrix& matrix) {
  std::string text;
  for (const auto& [suite, checks] : matrix.checks) text += matrix_text(matrix, suite, checks);
  text += "\n";
  for (const TriedMutant& tried : matrix.mutants) {
    if (!tried.killed())
      text += fmt::format("survives: {} ({}): {} was to accuse it\n", tried.mutant.id, tried.mutant.about,
                          tried.mutant.check);
  }
  for (const HonestTrial& honest : matrix.honest) {
    text += fmt::format("without a fault: {}: {} cases, {} accusations\n", honest.suite, honest.cases,
                        honest.accusations.size());
  }
  const std::int64_t all = std::ssize(matrix.mutants);
  text += fmt::format("{} mutants pass a comparator of tolerance 1e-4\n", matrix.pass_tolerance());
  text += fmt::format("{}: {} of {} mutants killed by the check named for them{}\n",
                      matrix.holds() ? "PASS" : "FAIL", matrix.killed(), all,
                      matrix.holds() ? "" : "; " + matrix.reason());
  return text;
}

}  // namespace plumbline::selftest

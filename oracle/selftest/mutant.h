#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::selftest {

/// One planted fault.
struct Mutant {
  std::string id;      ///< "selector.ties_by_arrival"
  std::string hazard;  ///< where the fault was seen or is described: "TOPK T4", "CASES B3"
  std::string about;   ///< what it does wrong, one line
  std::string check;   ///< the check that must accuse it, one of its suite's
};

/// What a check of a suite said.
struct Accusation {
  std::string check;
  std::string what;  ///< its first finding, one line
};

/// What was found of one mutant, or of the code without any.
struct Trial {
  std::vector<Accusation> accusations;  ///< of every check that found something, at most one each
  /// Whether a comparator of tolerance 1e-4 would have accepted everything; nothing where it does not apply.
  std::optional<bool> passes_tolerance;
  std::int64_t cases = 0;  ///< rows, taps or plans that were judged
};

/// The mutants of one place of the system, and the checks they are put under.
struct Suite {
  std::string name;                 ///< "selector"
  std::vector<std::string> checks;  ///< in the order of the kill matrix
  std::vector<Mutant> mutants;
  bool generated = true;  ///< other seeds give other cases
  /// Tries the mutant of that id; an empty id is the code without a fault. `seed_shift` is added to the seeds
  /// of generated data.
  std::function<Trial(std::string_view id, std::uint64_t seed_shift)> run;
};

Suite selector_suite();
Suite scorer_suite();
Suite paged_suite();
Suite judge_suite();
Suite dispatch_suite();
Suite attention_suite();
/// `capture_file`: a kind A capture in float32 of transformers on a CPU.
Suite model_suite(const std::string& capture_file);
/// The same capture's model.
Suite cache_suite(const std::string& capture_file);

/// All of them. `goldens`: the folder of golden captures.
std::vector<Suite> suites(const std::string& goldens);

}  // namespace plumbline::selftest

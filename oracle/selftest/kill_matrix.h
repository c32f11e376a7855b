#pragma once

#include "oracle/selftest/mutant.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace plumbline::selftest {

/// A mutant and what became of it.
struct TriedMutant {
  std::string suite;
  Mutant mutant;
  Trial trial;
  double seconds = 0;

  /// Its own check accused it; whatever another check says is no kill.
  bool killed() const;
  /// The accusation of its own check; null where it survives.
  const Accusation* kill() const;
};

/// The code without a fault, put under the same checks.
struct HonestTrial {
  std::string suite;
  std::int64_t cases = 0;  ///< that were judged, over all seeds
  std::vector<Accusation> accusations;
};

struct KillMatrix {
  std::vector<std::pair<std::string, std::vector<std::string>>> checks;  ///< of each suite
  std::vector<TriedMutant> mutants;
  std::vector<HonestTrial> honest;

  std::int64_t killed() const;
  /// Mutants that a comparator of tolerance 1e-4 lets pass.
  std::int64_t pass_tolerance() const;
  /// No honest code was accused, and at least 95 of 100 mutants were killed.
  bool holds() const;
  std::string reason() const;  ///< why it does not hold
};

struct MatrixOptions {
  std::function<bool(const std::string& id)> wanted;  ///< empty: all
  std::int64_t honest_cases = 0;  ///< cases that each suite of generated data judges without a fault at least
  std::function<void(const std::string& id)> before = {};
};

KillMatrix try_mutants(const std::vector<Suite>& suites, const MatrixOptions& options);

}  // namespace plumbline::selftest

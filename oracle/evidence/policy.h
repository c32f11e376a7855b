#pragma once

#include "oracle/evidence/level.h"
#include "oracle/report/report_json.h"
#include "oracle/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What evidence must show before a change passes the gate.
struct Policy {
  struct RequiredLevel {
    std::string path, capability;
    Level level = Level::executed;
  };
  struct RequiredHit {
    std::string route, capability;
    std::int64_t at_least = 1;  ///< launches that a witness saw
  };
  /// The time of `arm` divided by that of `over`, both of `stage` at `blocks`.
  struct Ratio {
    std::string capability, arm, over, stage;
    std::int64_t blocks = 0;
    double noise_percent = 0;       ///< above the baseline's ratio
    std::optional<double> at_most;  ///< a bound that holds without a baseline too
  };
  /// A failure that may be there until (and with) a day.
  struct KnownFailure {
    std::string check, capability;
    Status status = Status::fail;
    std::string until, reason;  ///< until: YYYY-MM-DD
  };
  std::vector<RequiredLevel> levels;
  std::vector<RequiredHit> hits;
  std::vector<Ratio> ratios;
  std::vector<KnownFailure> known_failures;

  bool demands_nothing() const { return levels.empty() && hits.empty(); }
};

/// Schema 1, oracle/evidence/policy.schema.json. Throws InputError.
Policy read_policy(const std::string& path);
Policy policy_from_json(const Json& json, const std::string& file);

/// YYYY-MM-DD, a day that exists.
bool is_date(const std::string& text);

}  // namespace plumbline

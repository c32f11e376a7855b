#pragma once

#include "oracle/report/run_report.h"
#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"
#include "oracle/run/name_filter.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace plumbline {

struct VerifyOptions {
  std::string fixtures;          ///< folder of captures
  NameFilter filter;             ///< on check names
  std::uint64_t seed_shift = 0;  ///< added to the data seeds of generated cases
  int threads = 0;               ///< 0: OMP_NUM_THREADS
  Shard shard;                   ///< the part of the checks that is run
  std::string filter_text;       ///< of the filter, for the report
  /// What this build could put on trial on a device: its routes' names and kinds, or why there are none.
  DeviceSubjects offered;
  /// Looks for the device; called only where the filter leaves a check that needs one.
  std::function<DeviceSubjects()> probe;
};

struct VerifyPlan {
  std::vector<PlannedCheck> checks;
  RunRequest request;
  DeviceSubjects device;  ///< as it was found; of no name where no check needs it
};

/// The checks of the main job that the filter selects, in order. Throws InputError.
VerifyPlan plan_verify(const VerifyOptions& options);

/// Runs them. `before` is told the number of each check before it starts.
RunReport run_checks(const VerifyPlan& plan,
                     const std::function<void(std::size_t number, const PlannedCheck&)>& before = {});

}  // namespace plumbline

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
  DeviceSubjects device;
};

/// The checks of the main job that the filter selects, in order. Throws InputError.
std::vector<PlannedCheck> plan_verify(const VerifyOptions& options);

/// Runs them, on `device` (a name, for the report) where there is one. `before` is told the number of each
/// check before it starts.
RunReport run_checks(const std::vector<PlannedCheck>& checks,
                     const std::function<void(std::size_t number, const PlannedCheck&)>& before = {},
                     const std::string& device = {});

}  // namespace plumbline

#pragma once

#include "fixtures/cases/case_spec.h"
#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Rows asked for together, under the name of what that varies.
struct RowChoice {
  std::string name;  ///< "alone", "batches", "beside_longer"
  std::vector<std::int64_t> rows;
};

/// Rows alone, in batches of 2 to 64, and the shortest row that still selects (else the shortest) beside ever
/// more copies of the longest.
std::vector<RowChoice> row_choices(const SelectInputs& inputs);

/// Asks a route for the rows of a case again, in other batches and by its variants, and compares each answer
/// with the first. The same scores must give the same selection, bit for bit. Scores may take other bits only
/// where a library's product makes them and the batch has another shape: within two error bounds, and the
/// selection must keep the route's contract on them. FAIL otherwise; VACUOUS where no compared row selects.
class VariationTrial {
 public:
  VariationTrial(const DeviceSubjects& device, const DeviceRoute& route, int threads);
  void judge(const CaseSpec& spec, CheckResult& check) const;

 private:
  void vary_rows(const SelectInputs& inputs, CheckResult& check) const;
  void vary_runs(const SelectInputs& inputs, CheckResult& check) const;
  void vary_runs(const PagedSelectInputs& inputs, CheckResult& check) const;

  const DeviceSubjects& device_;
  const DeviceRoute& route_;
  int threads_;
};

}  // namespace plumbline

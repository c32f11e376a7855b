#include "reference/select/certified_select.h"

#include "tests/reference/select/naive_selection.h"
#include "tests/reference/select/select_problem.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using testing::SelectProblem;

std::vector<std::optional<CertifiedRow>> all_rows(const SelectProblem& problem, CertifyOptions options = {}) {
  std::vector<std::optional<CertifiedRow>> rows;
  CertifiedSelector(problem.inputs(), problem.key_valid, options)
      .rows([&rows](std::int64_t row, const std::optional<CertifiedRow>& result) {
        RC_ASSERT(row == static_cast<std::int64_t>(rows.size()));
        rows.push_back(result);
      });
  return rows;
}

RC_GTEST_PROP(CertifiedSelect, EqualsTheNaiveDefinitionOnEveryDifficulty, ()) {
  const SelectProblem problem = testing::any_problem();
  const auto rows = all_rows(problem);
  RC_ASSERT(static_cast<std::int64_t>(rows.size()) == problem.query.extent(0));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto naive =
        testing::naive_row(problem.inputs(), problem.key_valid, static_cast<std::int64_t>(row));
    if (!testing::same(rows[row], naive)) RC_LOG() << "row " << row << std::endl;
    RC_ASSERT(testing::same(rows[row], naive));
  }
}

RC_GTEST_PROP(CertifiedSelect, OneRowAloneIsDecidedAsAmongOthers, ()) {
  const SelectProblem problem = testing::any_problem();
  const auto rows = all_rows(problem);
  const CertifiedSelector selector(problem.inputs(), problem.key_valid);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    RC_ASSERT(testing::same(rows[row], selector.row(static_cast<std::int64_t>(row))));
  }
}

}  // namespace
}  // namespace plumbline

#include "reference/select/certified_select.h"

#include "fixtures/error.h"
#include "tests/reference/select/naive_selection.h"
#include "tests/reference/select/select_problem.h"

#include <cstdio>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Filter = CertifyOptions::Filter;
using testing::Difficulty;
using testing::SelectProblem;
using Rows = std::vector<std::optional<CertifiedRow>>;

const std::map<Filter, const char*> kFilterNames = {
    {Filter::off, "off"}, {Filter::sse2, "sse2"}, {Filter::avx2, "avx2"}, {Filter::avx512, "avx512"}};

std::vector<Filter> available_filters() {
  std::vector<Filter> filters;
  for (const auto& [filter, name] : kFilterNames) {
    if (filter_available(filter)) filters.push_back(filter);
  }
  return filters;
}

Rows all_rows(const SelectProblem& problem, CertifyOptions options = {}) {
  Rows rows;
  CertifiedSelector(problem.inputs(), problem.key_valid, options)
      .rows([&rows](std::int64_t row, const std::optional<CertifiedRow>& result) {
        if (row != static_cast<std::int64_t>(rows.size())) ADD_FAILURE() << "row " << row << " out of order";
        rows.push_back(result);
      });
  return rows;
}

/// The first row on which two answers differ; -1 when they are the same.
std::int64_t first_difference(const Rows& a, const Rows& b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (!same_result(a[row], b[row])) return static_cast<std::int64_t>(row);
  }
  return -1;
}

Rows naive_rows(const SelectProblem& problem) {
  Rows rows;
  for (std::int64_t row = 0; row < problem.query.extent(0); ++row) {
    rows.push_back(testing::naive_row(problem.inputs(), problem.key_valid, row));
  }
  return rows;
}

std::int64_t resolved(const Rows& rows) {
  std::int64_t total = 0;
  for (const auto& row : rows) total += row ? row->resolved_exactly : 0;
  return total;
}

RC_GTEST_PROP(CertifiedSelect, EqualsTheNaiveDefinitionOnEveryDifficultyWithEveryFilter, ()) {
  const SelectProblem problem = testing::any_problem();
  const Rows expected = naive_rows(problem);
  for (const Filter filter : available_filters()) {
    RC_LOG() << "filter " << kFilterNames.at(filter) << std::endl;
    RC_ASSERT(first_difference(all_rows(problem, {filter, 1}), expected) == -1);
  }
}

RC_GTEST_PROP(CertifiedSelect, OneRowAloneIsDecidedAsAmongOthersByAnyNumberOfThreads, ()) {
  const SelectProblem problem = testing::any_problem();
  const Rows rows = all_rows(problem, {Filter::automatic, 1});
  RC_ASSERT(first_difference(all_rows(problem, {Filter::automatic, 2}), rows) == -1);
  RC_ASSERT(first_difference(all_rows(problem, {Filter::automatic, 5}), rows) == -1);
  const CertifiedSelector selector(problem.inputs(), problem.key_valid);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    RC_ASSERT(same_result(rows[row], selector.row(static_cast<std::int64_t>(row))));
  }
}

RC_GTEST_PROP(CertifiedSelect, BlocksBeyondTheVisibleCountChangeNothing, ()) {
  SelectProblem problem = testing::any_problem();
  const Rows rows = all_rows(problem);
  const std::int64_t blocks = problem.key.extent(0), dim = problem.key.extent(1);
  // Counts beyond the last block would begin to see what is appended.
  for (std::int64_t row = 0; row < problem.query.extent(0); ++row) {
    problem.set_visible(row, static_cast<std::int32_t>(std::min<std::int64_t>(
                                 problem.visible.as<std::int32_t>()[static_cast<std::size_t>(row)], blocks)));
  }
  const std::int64_t more = *rc::gen::inRange(1, 200);
  const auto garbage = *rc::gen::elementOf(std::vector<double>{NAN, INFINITY, 3e38, 1e-45, 448});
  problem.key.shape[0] += more;
  problem.key.bytes.resize(static_cast<std::size_t>((blocks + more) * dim) * size_of(problem.key.dtype));
  for (std::int64_t block = blocks; block < blocks + more; ++block) {
    for (std::int64_t d = 0; d < dim; ++d) problem.set_key(block, d, garbage);
  }
  if (!problem.key_valid.empty()) problem.key_valid.resize(static_cast<std::size_t>(blocks + more), 1);
  RC_ASSERT(first_difference(all_rows(problem), rows) == -1);
}

RC_GTEST_PROP(CertifiedSelect, AddingABlockBelowTheCutoffChangesNoWinner, ()) {
  SelectProblem problem = testing::any_problem();
  const std::int64_t blocks = problem.key.extent(0), dim = problem.key.extent(1);
  for (std::int64_t row = 0; row < problem.query.extent(0); ++row) {
    problem.set_visible(row, static_cast<std::int32_t>(blocks));
  }
  const Rows before = all_rows(problem);
  problem.key.shape[0] += 1;
  problem.key.bytes.resize(static_cast<std::size_t>((blocks + 1) * dim) *
                           size_of(problem.key.dtype));  // zeros
  if (!problem.key_valid.empty()) problem.key_valid.push_back(1);
  for (std::int64_t row = 0; row < problem.query.extent(0); ++row) {
    problem.set_visible(row, static_cast<std::int32_t>(blocks + 1));
  }
  const Rows after = all_rows(problem);
  for (std::size_t row = 0; row < before.size(); ++row) {
    if (!before[row] || !before[row]->selects || before[row]->cutoff_is_minus_infinity) continue;
    RC_ASSERT(after[row]->blocks == before[row]->blocks);
    RC_ASSERT(after[row]->cutoff == before[row]->cutoff);
    RC_ASSERT(after[row]->tie_class_size ==
              before[row]->tie_class_size + (before[row]->zero_plateau ? 1 : 0));
  }
}

RC_GTEST_PROP(CertifiedSelect, APermutationMovesTheWinnersAndInTheTieClassTheLowerBlockWins, ()) {
  SelectProblem problem = testing::any_problem();
  problem.key_valid.clear();
  const auto blocks = static_cast<std::size_t>(problem.key.extent(0));
  const std::size_t key_bytes = static_cast<std::size_t>(problem.key.extent(1)) * size_of(problem.key.dtype);
  for (std::int64_t row = 0; row < problem.query.extent(0); ++row) {
    problem.set_visible(row, static_cast<std::int32_t>(blocks));
  }
  std::vector<std::size_t> from(blocks);  // new block -> old block
  std::iota(from.begin(), from.end(), 0u);
  const auto priority = *rc::gen::container<std::vector<int>>(blocks, rc::gen::arbitrary<int>());
  std::stable_sort(from.begin(), from.end(),
                   [&](std::size_t a, std::size_t b) { return priority[a] < priority[b]; });
  SelectProblem moved = problem;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::copy_n(problem.key.bytes.begin() + static_cast<std::ptrdiff_t>(from[block] * key_bytes), key_bytes,
                moved.key.bytes.begin() + static_cast<std::ptrdiff_t>(block * key_bytes));
  }
  const CertifiedSelector selector(problem.inputs());
  const Rows before = all_rows(problem), after = all_rows(moved);
  for (std::size_t row = 0; row < before.size(); ++row) {
    RC_ASSERT(before[row].has_value() == after[row].has_value());
    if (!before[row] || !before[row]->selects) continue;
    RC_ASSERT(after[row]->cutoff == before[row]->cutoff);
    RC_ASSERT(after[row]->runner_up == before[row]->runner_up);
    std::vector<std::int32_t> expected, ties;
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto order = selector.score(static_cast<std::int64_t>(row),
                                        static_cast<std::int64_t>(from[block])) <=> before[row]->cutoff;
      if (order > 0) expected.push_back(static_cast<std::int32_t>(block));
      if (order == 0) ties.push_back(static_cast<std::int32_t>(block));
    }
    expected.insert(expected.end(), ties.begin(), ties.begin() + before[row]->tie_class_selected);
    std::sort(expected.begin(), expected.end());
    RC_ASSERT(after[row]->blocks == expected);
  }
}

/// Problems large enough that shortlists are cut several times over and panels are full and ragged.
TEST(CertifiedSelect, EveryFilterAgreesWithTheFilterOffOnLargeProblemsAndDecidesMostBlocksItself) {
  for (const Filter filter : available_filters())
    std::printf("filter %s runs here\n", kFilterNames.at(filter));
  for (const Difficulty difficulty : testing::kDifficulties) {
    for (const DType type : {DType::float16, DType::bfloat16}) {
      SelectGeometry geometry{4, 64, 4, 32};
      SelectProblem problem = testing::draw_problem(difficulty, type, type, 53, 3001, geometry, 11);
      problem.set_visible(7, 3001);
      const Rows exact = all_rows(problem, {Filter::off, 2});
      for (const Filter filter : available_filters()) {
        const Rows rows = all_rows(problem, {filter, 2});
        EXPECT_EQ(first_difference(rows, exact), -1)
            << kFilterNames.at(filter) << ", difficulty " << static_cast<int>(difficulty);
        const bool mostly_distinct = difficulty == Difficulty::spread || difficulty == Difficulty::magnitudes;
        if (mostly_distinct && filter != Filter::off) {
          EXPECT_LT(resolved(rows), resolved(exact) / 20);
        }
      }
    }
  }
}

TEST(CertifiedSelect, ARowHasNoExactScoresOnlyWhereItSeesANonFiniteValidKey) {
  SelectGeometry geometry{2, 8, 4, 3};
  SelectProblem problem =
      testing::draw_problem(Difficulty::spread, DType::float16, DType::float16, 4, 40, geometry, 3);
  problem.set_key(20, 7, INFINITY);
  for (const auto& [row, visible] : std::map<int, int>{{0, 20}, {1, 21}, {2, 40}, {3, 40}})
    problem.set_visible(row, visible);
  encode_element(DType::float16, NAN, problem.query.bytes.data() + 2 * (3 * 16 + 15));
  const Rows rows = all_rows(problem);
  EXPECT_TRUE(rows[0].has_value());
  EXPECT_FALSE(rows[1].has_value());
  EXPECT_FALSE(rows[2].has_value());
  EXPECT_FALSE(rows[3].has_value());

  problem.key_valid.assign(40, 1);
  problem.key_valid[20] = 0;
  const Rows with_invalid = all_rows(problem);
  EXPECT_TRUE(with_invalid[1].has_value() && with_invalid[2].has_value());
  EXPECT_FALSE(with_invalid[3].has_value());
}

TEST(CertifiedSelect, InvalidKeysRankLastAtMinusInfinity) {
  SelectGeometry geometry{1, 1, 4, 4};
  SelectProblem problem{geometry,
                        Tensor(DType::float32, {1, 1, 1}),
                        Tensor(DType::float32, {6, 1}),
                        Tensor(DType::int32, {1}),
                        {0, 1, 0, 1, 1, 0}};
  encode_element(DType::float32, 1, problem.query.bytes.data());
  for (const auto& [block, value] : std::map<int, double>{{1, -5}, {3, 2}, {4, 7}})
    problem.set_key(block, 0, value);
  problem.set_visible(0, 6);
  const CertifiedRow row = *all_rows(problem)[0];
  EXPECT_EQ(row.blocks, (std::vector<std::int32_t>{0, 1, 3, 4}));
  EXPECT_TRUE(row.cutoff_is_minus_infinity && row.runner_up_is_minus_infinity && row.tied_at_cutoff);
  EXPECT_EQ(row.tie_class_size, 3);
  EXPECT_EQ(row.tie_class_selected, 1);
  EXPECT_FALSE(row.zero_plateau);

  problem.geometry.block_topk = 3;
  const CertifiedRow all_valid = *all_rows(problem)[0];
  EXPECT_EQ(all_valid.blocks, (std::vector<std::int32_t>{1, 3, 4}));
  EXPECT_FALSE(all_valid.cutoff_is_minus_infinity);
  EXPECT_TRUE(all_valid.runner_up_is_minus_infinity && all_valid.zero_plateau);
  EXPECT_FALSE(all_valid.tied_at_cutoff);
}

TEST(CertifiedSelect, RefusesInputsThatDoNotFitTogether) {
  const SelectProblem problem =
      testing::draw_problem(Difficulty::spread, DType::float16, DType::float16, 2, 9, {2, 8, 4, 3}, 3);
  const auto message = [](const SelectInputs& inputs, std::span<const std::uint8_t> valid = {}) {
    try {
      CertifiedSelector selector(inputs, valid);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(problem.inputs()), "accepted");
  SelectInputs inputs = problem.inputs();
  inputs.index_key.reset();
  EXPECT_EQ(message(inputs), "selection inputs: index_query and index_key: expected both, found one or none");
  inputs = problem.inputs();
  inputs.geometry.index_heads = 3;
  EXPECT_EQ(message(inputs), "selection inputs: index_query: expected [2, 3, 8], found [2, 2, 8]");
  inputs = problem.inputs();
  inputs.geometry.block_topk = 0;
  EXPECT_EQ(message(inputs), "selection inputs: block_topk: expected at least 1, found 0");
  EXPECT_EQ(message(problem.inputs(), std::vector<std::uint8_t>(5, 1)),
            "selection inputs: key_valid: expected 9 entries, found 5");
}

}  // namespace
}  // namespace plumbline

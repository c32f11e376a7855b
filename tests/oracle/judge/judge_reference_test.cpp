#include "oracle/judge/judge_reference.h"

#include "fixtures/cases/random.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/judge/interval_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Values = std::vector<double>;

/// A selection whose values are multiples of 2^-24 below 2^8, so that exact scores are integers of 2^-48.
struct Problem {
  SelectGeometry geometry{2, 8, 4, 5};
  std::int64_t rows = 3, blocks = 40;
  DType type = DType::float32;
  Tensor query, key, visible;
  std::optional<Tensor> scores;

  SelectInputs inputs() const {
    SelectInputs inputs;
    inputs.geometry = geometry;
    inputs.rows = rows;
    inputs.blocks = blocks;
    inputs.index_query = query.view();
    inputs.index_key = key.view();
    if (scores) inputs.scores = scores->view();
    inputs.visible_blocks = visible.view();
    return inputs;
  }
  __int128 exact(std::int64_t row, std::int64_t block) const {
    const auto scaled = [](const std::byte* at, DType dtype) {
      return static_cast<std::int64_t>(std::ldexp(decode_element(dtype, at), 24));
    };
    __int128 sum = 0;
    for (std::int64_t head = 0; head < geometry.index_heads; ++head) {
      __int128 dot = 0;
      for (std::int64_t d = 0; d < geometry.index_head_dim; ++d) {
        dot += static_cast<__int128>(scaled(query.view().at(row, head, d), type)) *
               scaled(key.view().at(block, d), type);
      }
      if (dot > 0) sum += dot;
    }
    return sum;
  }
};

/// Keys differ from a common one by one step of `step` in one place; every third repeats the one before.
Problem near_problem(std::uint64_t seed, double step, DType type = DType::float32) {
  Problem problem;
  problem.type = type;
  Random random(seed);
  const auto value = [&] {
    return round_to(type, std::ldexp(static_cast<double>(random.below(1u << 20)) - (1 << 19), -16));
  };
  problem.query = Tensor(type, {problem.rows, problem.geometry.index_heads, problem.geometry.index_head_dim});
  problem.key = Tensor(type, {problem.blocks, problem.geometry.index_head_dim});
  problem.visible = Tensor(DType::int32, {problem.rows});
  const std::size_t element = size_of(type);
  for (std::size_t i = 0; i < problem.query.bytes.size(); i += element) {
    encode_element(type, value(), problem.query.bytes.data() + i);
  }
  const auto dim = static_cast<std::size_t>(problem.geometry.index_head_dim);
  Values common;
  for (std::size_t d = 0; d < dim; ++d) common.push_back(value());
  for (std::size_t block = 0; block < static_cast<std::size_t>(problem.blocks); ++block) {
    Values key = common;
    key[static_cast<std::size_t>(random.below(dim))] += step * static_cast<double>(random.below(5));
    if (block % 3 == 2) {
      std::copy_n(problem.key.bytes.begin() + static_cast<std::ptrdiff_t>((block - 1) * dim * element),
                  dim * element,
                  problem.key.bytes.begin() + static_cast<std::ptrdiff_t>(block * dim * element));
      continue;
    }
    for (std::size_t d = 0; d < dim; ++d) {
      encode_element(type, key[d], problem.key.bytes.data() + (block * dim + d) * element);
    }
  }
  for (std::int32_t& visible : problem.visible.as<std::int32_t>()) visible = 40;
  problem.visible.as<std::int32_t>()[2] = 7;
  return problem;
}

/// The canonical rows by sorting ranks.
template <typename Rank>
SelectOutputs canonical(const Problem& problem, Rank rank) {
  const std::int32_t k = problem.geometry.block_topk;
  SelectOutputs outputs;
  outputs.blocks = Tensor(DType::int32, {problem.rows, k});
  const auto out = outputs.blocks.as<std::int32_t>();
  std::fill(out.begin(), out.end(), -1);
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    const std::int64_t n = problem.visible.as<std::int32_t>()[static_cast<std::size_t>(row)];
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return rank(row, a) > rank(row, b); });
    order.resize(static_cast<std::size_t>(std::min<std::int64_t>(n, k)));
    std::sort(order.begin(), order.end());
    std::copy(order.begin(), order.end(), out.begin() + row * k);
  }
  return outputs;
}

SelectOutputs exact_canonical(const Problem& problem) {
  return canonical(problem, [&](std::int64_t row, std::int32_t block) { return problem.exact(row, block); });
}

class NearKeys : public testing::TestWithParam<double> {};

TEST_P(NearKeys, AreOrderedAsIntegersOrderThem) {
  const Problem problem = near_problem(11, GetParam());
  const SelectInputs inputs = problem.inputs();
  const IntervalScores scores(inputs);
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    IntervalScores::Row ordered(scores, row);
    for (std::int64_t a = 0; a < problem.blocks; ++a) {
      for (std::int64_t b = 0; b < problem.blocks; ++b) {
        const __int128 gap = problem.exact(row, a) - problem.exact(row, b);
        ASSERT_EQ(ordered.compare(a, b), gap > 0 ? 1 : (gap < 0 ? -1 : 0)) << row << ": " << a << " " << b;
      }
    }
  }
}

TEST_P(NearKeys, ProveTheCanonicalSelectionAndNothingBeside) {
  const Problem problem = near_problem(7, GetParam());
  SelectOutputs outputs = exact_canonical(problem);
  const ProofReport proven = judge_reference(problem.inputs(), outputs, 1);
  EXPECT_EQ(proven.status, Status::pass) << proven.reason;
  EXPECT_EQ(proven.rows_proven, 3);
  EXPECT_EQ(proven.rows_selecting, 3);

  const auto entries = outputs.blocks.as<std::int32_t>();
  for (std::size_t slot = 0; slot < entries.size(); ++slot) {
    const std::int32_t right = entries[slot];
    for (std::int32_t wrong = -2; wrong <= 40; ++wrong) {
      if (wrong == right) continue;
      entries[slot] = wrong;
      const ProofReport refuted = judge_reference(problem.inputs(), outputs, 1);
      ASSERT_EQ(refuted.status, Status::fail) << "slot " << slot << " holds " << wrong;
      ASSERT_EQ(refuted.faults.size(), 1u);
      ASSERT_EQ(refuted.faults.front().row, static_cast<std::int64_t>(slot / 5));
      ASSERT_EQ(refuted.rows_proven, 2);
    }
    entries[slot] = right;
  }
}

// 0: all keys are one; 2^-20: the last bit of the values.
INSTANTIATE_TEST_SUITE_P(Steps, NearKeys, testing::Values(0.0, 1.0, 0x1p-10, 0x1p-20));

/// One row that selects one of `keys`, for which `winner` is claimed.
ProofReport prove_winner(std::vector<float> query, std::vector<std::vector<float>> keys,
                         std::int32_t winner) {
  Problem problem;
  const auto dim = static_cast<std::int64_t>(query.size());
  problem.rows = 1;
  problem.blocks = static_cast<std::int64_t>(keys.size());
  problem.geometry = {1, static_cast<std::int32_t>(dim), 4, 1};
  problem.query = Tensor(DType::float32, {1, 1, dim});
  problem.key = Tensor(DType::float32, {problem.blocks, dim});
  problem.visible = Tensor(DType::int32, {1});
  problem.visible.as<std::int32_t>()[0] = static_cast<std::int32_t>(problem.blocks);
  std::copy(query.begin(), query.end(), problem.query.as<float>().begin());
  auto place = problem.key.as<float>().begin();
  for (const std::vector<float>& key : keys) place = std::copy(key.begin(), key.end(), place);
  SelectOutputs outputs;
  outputs.blocks = Tensor(DType::int32, {1, 1});
  outputs.blocks.as<std::int32_t>()[0] = winner;
  return judge_reference(problem.inputs(), outputs);
}

/// Exact scores that doubles round to one value: 2^60 + 2^-40 and 2^60 + 2^-39.
TEST(JudgeReference, NeedsExpansionsWhereDoublesCannotSeparate) {
  const std::vector<std::vector<float>> keys = {
      {0x1p30f, 0x1p-20f}, {0x1p30f, 0x1p-19f}, {0x1p30f, 0x1p-20f}};
  const ProofReport proven = prove_winner({0x1p30f, 0x1p-20f}, keys, 1);
  EXPECT_EQ(proven.status, Status::pass) << proven.reason;
  EXPECT_EQ(proven.resolved_exactly, 2);  // blocks 0 and 2 have one key
  EXPECT_EQ(prove_winner({0x1p30f, 0x1p-20f}, keys, 0).reason,
            "1 of 1 rows are not the canonical selection; row 0: block 1 was left out and beats block 0");
}

/// Doubles lose the middle product of block 1 beside 2^28, 3 bits beyond what they hold exactly, and would
/// rank it below block 0.
TEST(JudgeReference, DoesNotTrustADoubleSumThatCancelled) {
  const std::vector<std::vector<float>> keys = {{0, 0x1p-8f, 0}, {0x1p14f, 0x1p-7f, -0x1p14f}};
  EXPECT_EQ(prove_winner({0x1p14f, 0x1p-20f, 0x1p14f}, keys, 1).status, Status::pass);
  EXPECT_EQ(prove_winner({0x1p14f, 0x1p-20f, 0x1p14f}, keys, 0).status, Status::fail);
}

TEST(JudgeReference, SettlesCoarseValuesAndZeroPlateausWithoutExpansions) {
  Problem problem = near_problem(3, 0x1p-6, DType::float8_e4m3fn);
  EXPECT_EQ(judge_reference(problem.inputs(), exact_canonical(problem), 1).resolved_exactly, 0);
  for (float& value : (problem = near_problem(3, 0x1p-20)).query.as<float>()) value = -std::abs(value);
  for (float& value : problem.key.as<float>()) value = std::abs(value);
  const ProofReport plateau = judge_reference(problem.inputs(), exact_canonical(problem), 1);
  EXPECT_EQ(plateau.status, Status::pass) << plateau.reason;
  EXPECT_EQ(plateau.resolved_exactly, 0);
}

TEST(JudgeReference, RanksGivenScoresByTheirBits) {
  Problem problem = near_problem(5, 1.0);
  problem.rows = 1;
  problem.geometry.block_topk = 4;
  problem.blocks = 8;
  problem.query = Tensor(DType::float32, {1, 2, 8});
  problem.key = Tensor(DType::float32, {8, 8});
  problem.visible = Tensor(DType::int32, {1});
  problem.visible.as<std::int32_t>()[0] = 8;
  problem.scores = Tensor(DType::float32, {1, 8});
  const float infinity = std::numeric_limits<float>::infinity();
  const float scores[] = {-0.0f, std::bit_cast<float>(0xFFC00000u), 0.0f, infinity, -infinity, 0.0f,
                          -1.0f, std::bit_cast<float>(0x7F800001u)};
  std::copy(std::begin(scores), std::end(scores), problem.scores->as<float>().begin());
  SelectOutputs outputs;
  outputs.blocks = Tensor(DType::int32, {1, 4});
  const auto out = outputs.blocks.as<std::int32_t>();
  const auto status = [&](std::vector<std::int32_t> row) {
    std::copy(row.begin(), row.end(), out.begin());
    return judge_reference(problem.inputs(), outputs).status;
  };
  EXPECT_EQ(status({0, 2, 3, 7}), Status::pass);
  EXPECT_EQ(status({2, 3, 5, 7}), Status::fail);  // -0 ties with +0, so block 0 comes first
  EXPECT_EQ(status({0, 1, 3, 7}), Status::fail);  // -NaN ranks below everything
  EXPECT_EQ(status({0, 2, 3, 5}), Status::fail);  // +NaN ranks above everything
}

TEST(JudgeReference, ProvesRowsWithoutExactScoreOnTheReturnedScores) {
  Problem problem = near_problem(9, 1.0);
  SelectOutputs outputs = exact_canonical(problem);
  problem.key.as<float>()[20 * 8] =
      std::numeric_limits<float>::quiet_NaN();  // rows 0 and 1 see block 20, row 2 not
  const ProofReport without = judge_reference(problem.inputs(), outputs);
  EXPECT_EQ(without.rows_without_exact_score, 2);
  EXPECT_EQ(without.rows_unproven, 2);
  EXPECT_EQ(without.rows_proven, 1);
  EXPECT_EQ(without.status, Status::pass);

  outputs.scores = Tensor(DType::float32, {3, 40});
  const auto scores = outputs.scores->as<float>();
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(i % 40);
  EXPECT_EQ(judge_reference(problem.inputs(), outputs).status, Status::fail);
  const auto out = outputs.blocks.as<std::int32_t>();
  for (std::size_t slot = 0; slot < 10; ++slot) out[slot] = static_cast<std::int32_t>(35 + slot % 5);
  const ProofReport with = judge_reference(problem.inputs(), outputs);
  EXPECT_EQ(with.status, Status::pass) << with.reason;
  EXPECT_EQ(with.rows_proven, 3);
}

TEST(JudgeReference, IsVacuousWhereNothingCouldBeProven) {
  Problem problem = near_problem(9, 1.0);
  SelectOutputs outputs = exact_canonical(problem);
  for (float& value : problem.query.as<float>()) value = std::numeric_limits<float>::infinity();
  EXPECT_EQ(judge_reference(problem.inputs(), outputs).reason,
            "no row that selects has a score to prove it on");
  for (std::int32_t& visible : problem.visible.as<std::int32_t>()) visible = 5;
  const auto out = outputs.blocks.as<std::int32_t>();
  for (std::size_t slot = 0; slot < out.size(); ++slot) out[slot] = static_cast<std::int32_t>(slot % 5);
  const ProofReport short_rows = judge_reference(problem.inputs(), outputs);
  EXPECT_EQ(short_rows.status, Status::vacuous);
  EXPECT_EQ(short_rows.reason, "no row sees more blocks than it may select");
}

TEST(JudgeReference, RefusesAnAnswerOfTheWrongShape) {
  const Problem problem = near_problem(9, 1.0);
  SelectOutputs outputs = exact_canonical(problem);
  outputs.blocks.shape = {3, 4};
  EXPECT_THROW(judge_reference(problem.inputs(), outputs), InputError);
}

}  // namespace
}  // namespace plumbline

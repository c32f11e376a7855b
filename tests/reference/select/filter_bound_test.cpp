#include "reference/select/filter_bound.h"

#include "reference/numeric/exact_dot.h"
#include "reference/select/filter_keys.h"
#include "reference/select/filter_queries.h"
#include "reference/select/select_views.h"
#include "tests/reference/select/select_problem.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Filter = CertifyOptions::Filter;
using testing::SelectProblem;

/// A problem whose float32 scores do round: elements with random significands, and keys of any magnitude.
SelectProblem draw_rounding_problem() {
  SelectGeometry geometry;
  geometry.index_heads = *rc::gen::inRange(1, 6);
  geometry.index_head_dim = *rc::gen::inRange(1, 200);
  const auto seed = *rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
  SelectProblem problem = testing::draw_problem(*rc::gen::elementOf(testing::kDifficulties), DType::float32,
                                                DType::float32, 1, 40, geometry, seed);
  testing::Draw draw(seed + 1);
  for (Tensor* tensor : {&problem.query, &problem.key}) {
    for (float& value : tensor->as<float>())
      value *= 1 + static_cast<float>(draw.between(0, 1 << 20)) * 0x1p-23f;
  }
  return problem;
}

RC_GTEST_PROP(FilterBound, EnclosesTheExactScoreWithEveryKernel, ()) {
  const SelectProblem problem = draw_rounding_problem();
  const SelectInputs inputs = problem.inputs();
  const SelectableKeys keys(*inputs.index_key, {}, inputs.blocks);
  const std::int64_t heads = inputs.geometry.index_heads, dim = inputs.geometry.index_head_dim;
  const std::vector<float> query = *finite_query(inputs, 0);
  double query_norm = 0, key_norm = 0;
  for (std::int64_t head = 0; head < heads; ++head) {
    query_norm += norm_above(
        std::span(query).subspan(static_cast<std::size_t>(head * dim), static_cast<std::size_t>(dim)));
  }
  for (std::int64_t slot = 0; slot < keys.slots(); ++slot) key_norm = std::max(key_norm, keys.norm(slot));
  const int scale = -exponent_above(key_norm) - exponent_above(query_norm) - 1;

  for (const Filter filter : {Filter::sse2, Filter::avx2, Filter::avx512}) {
    const FilterKernel* kernel = find_filter_kernel(filter);
    if (kernel == nullptr) continue;
    const FilterKeys filter_keys(keys, *kernel, 1);
    FilterQueries queries(*kernel, heads, dim);
    queries.reset(1);
    queries.add_row(query);
    for (std::int64_t first = 0; first < keys.slots(); first += kernel->keys) {
      std::vector<float> uppers(static_cast<std::size_t>(kernel->keys), 0.0f);
      const std::vector<float*> sums(static_cast<std::size_t>(kernel->heads), uppers.data());
      for (std::int64_t tile = 0; tile < queries.tiles(); ++tile) {
        kernel->relu_tile(dim, queries.tile(tile), queries.slack(tile), filter_keys.strip(first),
                          filter_keys.norms() + first, sums.data());
      }
      for (std::int64_t slot = first; slot < std::min(first + kernel->keys, keys.slots()); ++slot) {
        const ExactScore exact = exact_relu_sum(query_of(inputs, 0), key_of(inputs, slot));
        const double score =
            std::ldexp(exact.to_double(), scale);  // within 2^-53; the bounds are 2^-21 apart or more
        const float upper = uppers[static_cast<std::size_t>(slot - first)];
        const float lower = upper - queries.width(0) * filter_keys.norms()[slot];
        RC_ASSERT(upper >= score * (1 - 0x1p-52));
        RC_ASSERT(lower <= score * (1 + 0x1p-52));
        RC_ASSERT(upper != 0 || exact.is_zero());
      }
    }
  }
}

TEST(FilterBound, NormsAreNeverRoundedDown) {
  EXPECT_EQ(norm_above({}), 0);
  EXPECT_EQ(norm_above(std::vector<float>{0.0f, -0.0f}), 0);
  for (const float value : {1.0f, 3.0f, 0x1p-149f, 0x1.fffffep127f}) {
    const double norm = norm_above(std::vector<float>{value, value, value, value});
    EXPECT_GT(norm, 2.0 * static_cast<double>(value));
    EXPECT_LT(norm, 2.0 * static_cast<double>(value) * (1 + 0x1p-19));
  }
  EXPECT_EQ(bounding_norm(0), 0);
  EXPECT_EQ(bounding_norm(0x1p-80), 0x1p-50f);
}

TEST(FilterBound, ExponentsLieStrictlyAbove) {
  EXPECT_EQ(exponent_above(1), 1);
  EXPECT_EQ(exponent_above(0.75), 0);
  EXPECT_EQ(exponent_above(0), 0);
}

}  // namespace
}  // namespace plumbline

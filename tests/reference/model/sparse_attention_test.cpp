#include "reference/model/sparse_attention.h"

#include "fixtures/small_float.h"
#include "reference/model/number.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

struct Problem {
  AttentionGeometry geometry;
  std::vector<double> query;
  Rows<double> keys, values;
  std::vector<std::int32_t> tokens;

  static Problem arbitrary(DType storage) {
    Problem p;
    const auto shared = *rc::gen::inRange<std::int64_t>(1, 4), group = *rc::gen::inRange<std::int64_t>(1, 20);
    p.geometry = {shared * group, shared, *rc::gen::element<std::int64_t>(1, 3, 16, 20)};
    const auto cached = *rc::gen::inRange<std::int64_t>(1, 30);
    const auto number = [&] { return round_to(storage, *rc::gen::inRange(-1000, 1000) * 0x1.3p-8); };
    const std::int64_t width = shared * p.geometry.head_dim;
    p.keys = p.values = Rows<double>(cached, width);
    for (double& x : p.keys.numbers) x = number();
    for (double& x : p.values.numbers) x = number();
    for (std::int64_t i = 0; i < p.geometry.heads * p.geometry.head_dim; ++i) p.query.push_back(number());
    for (std::int32_t t = 0; t < cached; ++t) {
      if (*rc::gen::arbitrary<bool>()) p.tokens.push_back(t);
    }
    return p;
  }
  std::vector<double> run(const BasicEngineArithmetic<double>& arithmetic) const {
    std::vector<double> out(query.size(), 7);
    sparse_attention<double>(query, keys, values, tokens, geometry, arithmetic, out);
    return out;
  }
};

Rows<Bounded> bounded(const Rows<double>& rows) {
  Rows<Bounded> out(rows.rows, rows.width);
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) out.numbers[i].value = rows.numbers[i];
  return out;
}

// All heads of a group at once, or one after another with bounds: the same values under every profile.
RC_GTEST_PROP(SparseAttention, BoundsDoNotChangeTheValues, ()) {
  const Problem p = Problem::arbitrary(DType::bfloat16);
  const auto profiles = rounding_profiles();
  const RoundingProfile& profile = profiles[*rc::gen::inRange<std::size_t>(0, profiles.size())];
  const std::vector<double> out = p.run({profile, DType::bfloat16});
  std::vector<Bounded> bounds(out.size()), query;
  for (const double x : p.query) query.push_back({x, 0});
  sparse_attention<Bounded>(query, bounded(p.keys), bounded(p.values), p.tokens, p.geometry,
                            BasicEngineArithmetic<Bounded>(profile, DType::bfloat16), bounds);
  for (std::size_t i = 0; i < out.size(); ++i) RC_ASSERT(bounds[i].value == out[i]);
}

RC_GTEST_PROP(SparseAttention, IsSoftmaxOverTheListedTokens, ()) {
  const Problem p = Problem::arbitrary(DType::float32);
  const std::vector<double> out = p.run({exact_profile(), DType::float32});
  const auto dim = static_cast<std::size_t>(p.geometry.head_dim);
  const std::int64_t group = p.geometry.heads / p.geometry.key_value_heads;
  for (std::int64_t head = 0; head < p.geometry.heads; ++head) {
    const std::size_t first = static_cast<std::size_t>(head / group) * dim,
                      own = static_cast<std::size_t>(head) * dim;
    std::vector<long double> scores;
    long double sum = 0, largest = -HUGE_VALL;
    for (const std::int32_t t : p.tokens) {
      long double score = 0;
      for (std::size_t d = 0; d < dim; ++d)
        score += static_cast<long double>(p.query[own + d]) * p.keys.row(t)[first + d];
      scores.push_back(score / std::sqrt(static_cast<long double>(dim)));
      largest = std::max(largest, scores.back());
    }
    for (long double& score : scores) sum += score = std::exp(score - largest);
    for (std::size_t d = 0; d < dim; ++d) {
      long double expected = 0;
      for (std::size_t i = 0; i < scores.size(); ++i)
        expected += scores[i] * p.values.row(p.tokens[i])[first + d];
      if (!scores.empty()) expected /= sum;
      // Scores below 300 with 53 bits: exponentials to 1e-13, values below 5.
      RC_ASSERT(std::abs(out[own + d] - static_cast<double>(expected)) < 1e-11);
    }
  }
}

// CASES.md D7: never NaN, never what stood there before.
TEST(SparseAttention, ARowWithoutATokenIsZero) {
  Problem p;
  p.geometry = {2, 1, 4};
  p.keys = p.values = Rows<double>(3, 4);
  p.query.assign(8, 1);
  EXPECT_EQ(p.run({hf_cuda_profile(), DType::bfloat16}), std::vector<double>(8, 0.0));
}

TEST(SparseAttention, ATokenThatIsNotListedIsNotRead) {
  Problem p;
  p.geometry = {3, 1, 4};
  p.keys = p.values = Rows<double>(5, 4);
  for (std::size_t i = 0; i < 20; ++i) p.keys.numbers[i] = p.values.numbers[i] = static_cast<double>(i % 7);
  p.query.assign(12, 0.5);
  p.tokens = {0, 2, 4};
  const std::vector<double> clean = p.run({hf_cuda_profile(), DType::bfloat16});
  for (const std::int64_t poisoned : {1, 3}) {
    for (double& x : p.keys.row(poisoned)) x = std::numeric_limits<double>::quiet_NaN();
    for (double& x : p.values.row(poisoned)) x = std::numeric_limits<double>::infinity();
  }
  EXPECT_EQ(p.run({hf_cuda_profile(), DType::bfloat16}), clean);
}

// Equal scores average the values, each head its own shared ones.
TEST(SparseAttention, HeadsReadTheirOwnKeyValueHead) {
  Problem p;
  p.geometry = {24, 2, 4};
  p.keys = Rows<double>(2, 8);
  p.values = Rows<double>(2, 8);
  for (std::size_t i = 0; i < 4; ++i) {
    p.values.row(0)[i] = 1;
    p.values.row(1)[i] = 3;
    p.values.row(0)[4 + i] = 10;
    p.values.row(1)[4 + i] = 30;
  }
  p.query.assign(96, 1);
  p.tokens = {0, 1};
  const std::vector<double> out = p.run({hf_cuda_profile(), DType::bfloat16});
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], i < 48 ? 2 : 20) << i;
}

}  // namespace
}  // namespace plumbline

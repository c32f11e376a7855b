#include "oracle/judge/error_model.h"

#include "fixtures/error.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// A float32 score whose roundings all happen in a written, shuffled order.
float shuffled_score(const std::vector<float>& query, const std::vector<float>& key, std::int64_t heads,
                     std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto next = [&](std::size_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state >> 33) % bound);
  };
  const std::size_t dim = key.size();
  std::vector<float> head_values;
  for (std::int64_t head = 0; head < heads; ++head) {
    std::vector<float> terms;
    for (std::size_t d = 0; d < dim; ++d)
      terms.push_back(query[static_cast<std::size_t>(head) * dim + d] * key[d]);
    while (terms.size() > 1) {  // any binary tree over the products
      std::swap(terms[next(terms.size())], terms.back());
      const float last = terms.back();
      terms.pop_back();
      terms[next(terms.size())] += last;
    }
    head_values.push_back(std::max(0.0f, terms.front()));
  }
  float sum = 0;
  for (const float value : head_values) sum += value;
  return sum;
}

struct Pair {
  std::vector<float> query, key;
  double exact = 0,
         magnitude = 0;  // products of small integers scaled by a power of two: doubles hold the sums
};

Pair random_pair(std::int64_t heads, std::int64_t dim, std::uint64_t seed) {
  std::uint64_t state = seed * 2654435761u + 1;
  const auto value = [&]() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<float>(static_cast<std::int32_t>(state >> 40) % 32768), -12);
  };
  Pair pair;
  for (std::int64_t i = 0; i < heads * dim; ++i) pair.query.push_back(value() - 4.0f);
  for (std::int64_t i = 0; i < dim; ++i) pair.key.push_back(value() - 4.0f);
  for (std::int64_t head = 0; head < heads; ++head) {
    double dot = 0;
    for (std::int64_t d = 0; d < dim; ++d) {
      const double product = static_cast<double>(pair.query[static_cast<std::size_t>(head * dim + d)]) *
                             static_cast<double>(pair.key[static_cast<std::size_t>(d)]);
      dot += product;
      pair.magnitude += std::abs(product);
    }
    pair.exact += std::max(0.0, dot);
  }
  return pair;
}

TEST(Float32AnyOrder, HoldsForEveryOrderTried) {
  const std::int64_t heads = 4, dim = 128;
  const auto model = float32_any_order(heads, dim);
  double closest = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Pair pair = random_pair(heads, dim, seed);
    const double bound = model->bound({}, {}, pair.magnitude);
    const double error =
        std::abs(static_cast<double>(shuffled_score(pair.query, pair.key, heads, seed)) - pair.exact);
    ASSERT_LE(error, bound) << "seed " << seed;
    closest = std::max(closest, error / bound);
  }
  EXPECT_GT(closest, 0.001);  // the roundings do occur
}

TEST(Float32AnyOrder, IsTheFormulaOfItsDerivation) {
  const auto model = float32_any_order(4, 128);
  const double n = 134, u = 0x1p-24;
  const double gamma = n * u / (1 - n * u);
  EXPECT_GE(model->bound({}, {}, 3.0), gamma * 3.0);
  EXPECT_LE(model->bound({}, {}, 3.0), gamma * 3.0 * (1 + 0x1p-40));
  EXPECT_GE(model->bound({}, {}, 0.0), 4 * n * 0x1p-149);
  EXPECT_EQ(model->name(), "float32_any_order");
  EXPECT_NE(model->derivation().find("dim + heads + 2"), std::string::npos);
}

TEST(Float32AnyOrder, IsRoundedUpForEveryShapeAndMagnitude) {
  for (const std::int64_t heads : {1, 3, 4, 7}) {
    for (std::int64_t dim = 1; dim < 300; dim += 13) {
      const auto model = float32_any_order(heads, dim);
      const long double n = static_cast<long double>(dim + heads + 2);
      const long double gamma = n * 0x1p-24L / (1 - n * 0x1p-24L);
      const long double underflow = static_cast<long double>(heads) * n * 0x1p-149L;
      for (const double magnitude : {0.0, 0x1p-140, 0.1, 1.0, 3.0, 1e30}) {
        const long double exact = gamma * static_cast<long double>(magnitude) + underflow;
        const auto bound = static_cast<long double>(model->bound({}, {}, magnitude));
        EXPECT_GE(bound, exact) << heads << " heads, dim " << dim << ", magnitude " << magnitude;
        EXPECT_LE(bound, exact * (1 + 0x1p-40L))
            << heads << " heads, dim " << dim << ", magnitude " << magnitude;
      }
    }
  }
}

TEST(Float32AnyOrder, IsReachedWithinAFactorOfThreeByAWorstCase) {
  const std::int64_t dim = 512;
  const auto model = float32_any_order(1, dim);
  float sum = 1.0f;
  double exact = 1.0;
  for (std::int64_t d = 1; d < dim; ++d) {
    sum += 0x1p-24f;  // ties to even: lost
    exact += 0x1p-24;
  }
  EXPECT_EQ(sum, 1.0f);
  const double bound = model->bound({}, {}, exact);
  EXPECT_LE(exact - static_cast<double>(sum), bound);
  EXPECT_GE(exact - static_cast<double>(sum), bound / 3);
}

TEST(Float32AnyOrder, RefusesShapesWhoseRoundingsItCannotBound) {
  EXPECT_THROW(float32_any_order(0, 128), InputError);
  EXPECT_THROW(float32_any_order(4, 0), InputError);
  EXPECT_THROW(float32_any_order(4, 1 << 23), InputError);
  EXPECT_THROW(float32_any_order(INT64_MAX, INT64_MAX), InputError);
}

TEST(ErrorModelFor, FollowsTheCapabilityWhereItIsKnown) {
  EXPECT_EQ(error_model_for(std::nullopt, 4, 128)->name(), "float32_any_order");
  EXPECT_EQ(error_model_for("9.0", 4, 128)->name(), "tensor_core:9.0");
  EXPECT_EQ(error_model_for("7.5", 4, 128)->name(), "tensor_core:7.5");
  for (const char* unknown : {"10.0", "12.0", "6.1", "9", ""}) {
    EXPECT_EQ(tensor_core(unknown, 4, 128), nullptr) << unknown;
    EXPECT_EQ(error_model_for(unknown, 4, 128)->name(), "float32_any_order") << unknown;
  }
}

}  // namespace
}  // namespace plumbline

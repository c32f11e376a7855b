#include "fixtures/small_float.h"
#include "reference/model/linear_layer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kInner = 192;

/// A product as an engine splits it: each part of the inner dimension by itself in float32, then the parts.
double split_product(const std::vector<float>& x, const std::vector<float>& w, std::int64_t splits) {
  float total = 0;
  const std::int64_t length = (kInner + splits - 1) / splits;
  for (std::int64_t first = 0; first < kInner; first += length) {
    float part = 0;
    for (std::int64_t k = first; k < std::min(kInner, first + length); ++k)
      part += x[static_cast<std::size_t>(k)] * w[static_cast<std::size_t>(k)];
    total += part;
  }
  return total;
}

std::vector<float> arbitrary_bfloat16() {
  std::vector<float> numbers;
  for (const int integer : *rc::gen::container<std::vector<int>>(kInner, rc::gen::inRange(-255, 256)))
    numbers.push_back(std::ldexp(static_cast<float>(integer), *rc::gen::inRange(-12, 3)));
  return numbers;
}

// CASES.md G6: another split of the inner dimension gives other bits, all within the derived bound.
RC_GTEST_PROP(SplitSum, EverySplitOfTheInnerDimensionStaysWithinTheBound, ()) {
  const std::vector<float> x = arbitrary_bfloat16(), w = arbitrary_bfloat16();
  Rows<Bounded> row(1, kInner);
  for (std::size_t k = 0; k < x.size(); ++k) row.numbers[k] = {x[k], 0};
  const EngineArithmetic arithmetic(hf_cuda_profile(), DType::bfloat16);
  const Bounded unstored = linear_layer_unstored(row, {w, 1, kInner}, arithmetic).numbers[0];
  const Bounded stored = linear_layer(row, {w, 1, kInner}, arithmetic).numbers[0];
  std::vector<double> results;
  for (std::int64_t splits = 1; splits <= 16; ++splits) {
    const double engine = split_product(x, w, splits);
    RC_ASSERT(std::abs(engine - unstored.value) <= unstored.error);
    RC_ASSERT(std::abs(round_to(DType::bfloat16, engine) - stored.value) <= stored.error);
    results.push_back(engine);
  }
  std::ranges::sort(results);
  RC_CLASSIFY(results.front() != results.back(), "splits differ");
}

}  // namespace
}  // namespace plumbline

#include "reference/model/causal_convolution.h"

#include "reference/model/number.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

const BasicEngineArithmetic<double> kFloat(hf_cpu_profile(), DType::float32);

/// Small whole numbers: sums are exact, whatever their order.
Rows<double> arbitrary_rows(std::int64_t rows, std::int64_t width) {
  Rows<double> out(rows, width);
  for (double& number : out.numbers) number = *rc::gen::inRange(-50, 50);
  return out;
}

ConvolutionWeights arbitrary_weights(std::int64_t channels) {
  ConvolutionWeights weights{
      *rc::gen::inRange<std::int64_t>(1, 6), *rc::gen::inRange<std::int64_t>(1, 4), {}};
  for (std::int64_t i = 0; i < channels * weights.taps; ++i)
    weights.filter.push_back(*rc::gen::inRange(-9, 9));
  return weights;
}

RC_GTEST_PROP(CausalConvolution, IsItsDefinitionOnWholeNumbers, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(0, 20);
  const ConvolutionWeights weights = arbitrary_weights(3);
  const Rows<double> x = arbitrary_rows(rows, 3);
  Rows<double> history = arbitrary_rows(weights.history(), 3);
  const Rows<double> before = history;
  const Rows<double> out = causal_convolution(x, weights, true, kFloat, history);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::int64_t back = 0; back < weights.taps; ++back) {
        const std::int64_t at = t - back * weights.dilation;
        const double value = at >= 0 ? x.row(at)[c] : before.row(weights.history() + at)[c];
        sum += value * weights.filter[c * static_cast<std::size_t>(weights.taps) +
                                      static_cast<std::size_t>(weights.taps - 1 - back)];
      }
      RC_ASSERT(out.row(t)[c] == sum);
    }
  }
}

RC_GTEST_PROP(CausalConvolution, SplitsAndTokensTakenBackLeaveTheSameHistory, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(1, 150);
  const ConvolutionWeights weights = arbitrary_weights(2);
  const Rows<double> x = arbitrary_rows(rows, 2);
  const auto part = [&](std::int64_t first, std::int64_t count) {
    Rows<double> some(count, 2);
    std::copy_n(x.numbers.begin() + first * 2, count * 2, some.numbers.begin());
    return some;
  };
  const auto kept =
      *rc::gen::inRange<std::int64_t>(std::max<std::int64_t>(0, rows - kTakeBackReach), rows + 1);
  Rows<double> history(weights.history(), 2), earlier, expected = history, unused;
  for (std::int64_t done = 0; done < rows;) {
    const auto count = *rc::gen::inRange<std::int64_t>(1, rows - done + 1);
    remember(earlier, history, part(done, count));
    causal_convolution(part(done, count), weights, false, kFloat, history);
    done += count;
  }
  take_back(earlier, history, rows - kept);
  causal_convolution(part(0, kept), weights, false, kFloat, expected);
  RC_ASSERT(history.numbers == expected.numbers);
  RC_ASSERT(earlier.rows <= kTakeBackReach);
}

TEST(CausalConvolution, APoisonedTokenOrChannelReachesWhatMeetsItAlone) {
  const ConvolutionWeights weights{4, 3, std::vector<double>(8, 1.0)};
  Rows<double> x(20, 2), history(9, 2);
  x.row(5)[1] = std::numeric_limits<double>::quiet_NaN();
  const Rows<double> out = causal_convolution(x, weights, false, kFloat, history);
  for (std::int64_t t = 0; t < 20; ++t) {
    EXPECT_EQ(out.row(t)[0], 0);
    EXPECT_EQ(std::isnan(out.row(t)[1]), t == 5 || t == 8 || t == 11 || t == 14) << t;
  }
}

RC_GTEST_PROP(CausalConvolution, BoundsDoNotChangeTheValues, ()) {
  const ConvolutionWeights weights = arbitrary_weights(3);
  Rows<double> x = arbitrary_rows(7, 3), history = arbitrary_rows(weights.history(), 3);
  for (double& number : x.numbers) number = static_cast<float>(number / 7);
  const auto bounded = [](const Rows<double>& rows) {
    Rows<Bounded> out(rows.rows, rows.width);
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) out.numbers[i].value = rows.numbers[i];
    return out;
  };
  Rows<Bounded> bounded_history = bounded(history);
  const Rows<Bounded> bounds =
      causal_convolution(bounded(x), weights, true,
                         BasicEngineArithmetic<Bounded>(hf_cpu_profile(), DType::bfloat16), bounded_history);
  const Rows<double> out = causal_convolution(
      x, weights, true, BasicEngineArithmetic<double>(hf_cpu_profile(), DType::bfloat16), history);
  for (std::size_t i = 0; i < out.numbers.size(); ++i) RC_ASSERT(bounds.numbers[i].value == out.numbers[i]);
}

}  // namespace
}  // namespace plumbline

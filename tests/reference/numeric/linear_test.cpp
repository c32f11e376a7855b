#include "reference/numeric/linear.h"

#include "fixtures/small_float.h"
#include "reference/numeric/linear_kernel.h"

#include <bit>
#include <cmath>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

struct Problem {
  std::int64_t rows, outputs, inner;
  std::vector<double> x;
  std::vector<float> w;
};

float any_float() {
  const int exponent = *rc::gen::inRange(-40, 40);
  const int significand = *rc::gen::inRange(-(1 << 24), 1 << 24);
  return std::ldexp(static_cast<float>(significand), exponent);
}

Problem any_problem(bool stored_inputs) {
  Problem p{*rc::gen::inRange(1, 11), *rc::gen::inRange(1, 60), *rc::gen::inRange(1, 40), {}, {}};
  for (std::int64_t i = 0; i < p.rows * p.inner; ++i) {
    p.x.push_back(stored_inputs ? any_float() : static_cast<double>(any_float()) / 3);
  }
  for (std::int64_t i = 0; i < p.outputs * p.inner; ++i) p.w.push_back(any_float());
  return p;
}

std::vector<double> in_written_order(const Problem& p) {
  std::vector<double> out;
  for (std::int64_t t = 0; t < p.rows; ++t) {
    for (std::int64_t n = 0; n < p.outputs; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.inner; ++k) {
        const double product = p.x[static_cast<std::size_t>(t * p.inner + k)] *
                               static_cast<double>(p.w[static_cast<std::size_t>(n * p.inner + k)]);
        sum = sum + product;
      }
      out.push_back(sum);
    }
  }
  return out;
}

RC_GTEST_PROP(Linear, GivesTheBitsOfTheWrittenOrderForStoredInputs, ()) {
  const Problem p = any_problem(true);
  std::vector<double> out(static_cast<std::size_t>(p.rows * p.outputs));
  linear(p.x, p.rows, LinearWeight(p.w, p.outputs, p.inner), Products::exact, out);
  RC_ASSERT(out == in_written_order(p));
}

RC_GTEST_PROP(Linear, GivesTheBitsOfTheWrittenOrderForUnroundedInputs, ()) {
  const Problem p = any_problem(false);
  std::vector<double> out(static_cast<std::size_t>(p.rows * p.outputs));
  linear(p.x, p.rows, LinearWeight(p.w, p.outputs, p.inner), Products::rounded, out);
  RC_ASSERT(out == in_written_order(p));
}

TEST(Linear, AFusedKernelWouldShowOnUnroundedInputs) {
  if (linear_kernel::fused() == nullptr) GTEST_SKIP() << "no fused multiply-add here";
  std::vector<double> x(linear_kernel::kRows * 40);
  std::vector<float> panel(linear_kernel::kPanel * 40);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(3 + i);
  for (std::size_t i = 0; i < panel.size(); ++i) panel[i] = 1.0f / static_cast<float>(7 + i);
  std::vector<double> fused(linear_kernel::kRows * linear_kernel::kPanel), separate(fused.size());
  linear_kernel::fused()(x.data(), 40, panel.data(), fused.data());
  linear_kernel::separate(x.data(), 40, panel.data(), separate.data());
  EXPECT_NE(fused, separate);
}

TEST(Linear, KeepsTheWeightReadable) {
  std::vector<float> w;
  for (int i = 0; i < 50 * 3; ++i) w.push_back(static_cast<float>(i));
  const LinearWeight weight(w, 50, 3);
  for (int n = 0; n < 50; ++n) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(weight.at(n, k), static_cast<float>(n * 3 + k));
  }
}

RC_GTEST_PROP(Linear, MagnitudeIsTheSumOfAbsoluteProducts, ()) {
  Problem p = any_problem(true);
  std::vector<double> out(static_cast<std::size_t>(p.rows * p.outputs));
  linear_magnitude(p.x, p.rows, LinearWeight(p.w, p.outputs, p.inner), out);
  for (double& value : p.x) value = std::fabs(value);
  for (float& value : p.w) value = std::fabs(value);
  RC_ASSERT(out == in_written_order(p));
}

}  // namespace
}  // namespace plumbline

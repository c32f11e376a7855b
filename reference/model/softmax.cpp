#include "reference/model/softmax.h"

#include "reference/model/number.h"

namespace plumbline {

template <typename Number>
Number exponentials(std::span<Number> x, bool base2, const BasicEngineArithmetic<Number>& arithmetic) {
  constexpr double kLn2 = 0.6931471805599453;
  Number largest = x[0];
  for (const Number& number : x) {
    if (value_of(number) > value_of(largest)) largest = number;
  }
  const Number natural = within<Number>(kLn2, kLn2 * 0x1p-53);
  for (Number& number : x) {
    const Number below = arithmetic.step(number - largest);
    number = arithmetic.step(arithmetic.exponential(base2 ? below * natural : below));
  }
  return arithmetic.step(arithmetic.sum(std::span<const Number>(x)));
}

template <typename Number>
void softmax(std::span<Number> x, const BasicEngineArithmetic<Number>& arithmetic) {
  const Number sum = exponentials<Number>(x, false, arithmetic);
  for (Number& number : x) number = arithmetic.quotient(number, sum);
}

#define PLUMBLINE_INSTANTIATE(Number)                                                          \
  template Number exponentials(std::span<Number>, bool, const BasicEngineArithmetic<Number>&); \
  template void softmax(std::span<Number>, const BasicEngineArithmetic<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)

}  // namespace plumbline

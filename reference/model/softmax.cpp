#include "reference/model/softmax.h"

#include "reference/model/number.h"

namespace plumbline {

template <typename Number>
void softmax(std::span<Number> x, const BasicEngineArithmetic<Number>& arithmetic) {
  Number largest = x[0];
  for (const Number& number : x) {
    if (value_of(number) > value_of(largest)) largest = number;
  }
  for (Number& number : x) {
    number = arithmetic.step(arithmetic.exponential(arithmetic.step(number - largest)));
  }
  const Number sum = arithmetic.step(arithmetic.sum(std::span<const Number>(x)));
  for (Number& number : x) number = arithmetic.quotient(number, sum);
}

template void softmax(std::span<Bounded>, const BasicEngineArithmetic<Bounded>&);
template void softmax(std::span<double>, const BasicEngineArithmetic<double>&);

}  // namespace plumbline

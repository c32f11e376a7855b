#include "reference/model/linear_layer.h"

#include "reference/model/number.h"
#include "reference/numeric/worth_threads.h"

#include <algorithm>

namespace plumbline {
namespace {

template <typename Number>
Products products_of(const BasicEngineArithmetic<Number>& arithmetic) {
  return arithmetic.profile().float32_arithmetic ? Products::exact : Products::rounded;
}

Rows<double> values_of(const Rows<Bounded>& x) {
  Rows<double> values(x.rows, x.width);
  for (std::size_t i = 0; i < x.numbers.size(); ++i) values.numbers[i] = x.numbers[i].value;
  return values;
}

Rows<double> product(const Rows<double>& x, const LinearWeight& weight,
                     const BasicEngineArithmetic<double>& arithmetic) {
  Rows<double> out(x.rows, weight.outputs());
  linear(x.numbers, x.rows, weight, products_of(arithmetic), out.numbers);
  return out;
}

Rows<Bounded> product(const Rows<Bounded>& x, const LinearWeight& weight,
                      const BasicEngineArithmetic<Bounded>& arithmetic) {
  const Rows<double> values = values_of(x);
  Rows<double> errors(x.rows, x.width), scales = errors, sum(x.rows, weight.outputs()), magnitude = sum,
                                        inherited = sum, partial = sum;
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    errors.numbers[i] = x.numbers[i].error;
    scales.numbers[i] = scale_of(x.numbers[i]);
  }
  linear(values.numbers, x.rows, weight, products_of(arithmetic), sum.numbers);
  linear_magnitude(values.numbers, x.rows, weight, magnitude.numbers);
  linear_partial(values.numbers, scales.numbers, x.rows, weight, partial.numbers);
  const bool inherits =
      std::any_of(errors.numbers.begin(), errors.numbers.end(), [](double e) { return e != 0; });
  if (inherits) linear_magnitude(errors.numbers, x.rows, weight, inherited.numbers);

  const auto inner = static_cast<double>(weight.inner());
  const double cover = 1 + inner * 0x1p-52;  // the magnitudes are themselves double sums
  Rows<Bounded> out(x.rows, weight.outputs());
  for (std::size_t i = 0; i < sum.numbers.size(); ++i) {
    const double reach = (magnitude.numbers[i] + inherited.numbers[i]) * cover;
    Bounded result = within<Bounded>(sum.numbers[i], inherited.numbers[i] * cover + reach * inner * 0x1p-52);
    if (arithmetic.profile().float32_arithmetic) {
      const Bounded rounding = widened_by_roundings(Bounded{reach, 0}, static_cast<int>(weight.inner()));
      result = widened(result, rounding.error + inner * 0x1p-150);
    }
    result.partial = partial.numbers[i];
    out.numbers[i] = result;
  }
  return out;
}

}  // namespace

template <typename Number>
Rows<Number> linear_layer_unstored(const Rows<Number>& x, const LinearWeight& weight,
                                   const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out = product(x, weight, arithmetic);
#pragma omp parallel for schedule(static) if (worth_threads_elements(out.rows * out.width))
  for (Number& number : out.numbers) number = arithmetic.step(number);
  return out;
}

template <typename Number>
Rows<Number> linear_layer(const Rows<Number>& x, const LinearWeight& weight,
                          const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out = product(x, weight, arithmetic);
#pragma omp parallel for schedule(static) if (worth_threads_elements(out.rows * out.width))
  for (Number& number : out.numbers) number = arithmetic.stored(number);
  return out;
}

template Rows<Bounded> linear_layer(const Rows<Bounded>&, const LinearWeight&,
                                    const BasicEngineArithmetic<Bounded>&);
template Rows<double> linear_layer(const Rows<double>&, const LinearWeight&,
                                   const BasicEngineArithmetic<double>&);
template Rows<Bounded> linear_layer_unstored(const Rows<Bounded>&, const LinearWeight&,
                                             const BasicEngineArithmetic<Bounded>&);
template Rows<double> linear_layer_unstored(const Rows<double>&, const LinearWeight&,
                                            const BasicEngineArithmetic<double>&);

}  // namespace plumbline

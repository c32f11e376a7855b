#include "reference/model/gemma_rmsnorm.h"

#include "reference/model/number.h"

namespace plumbline {

template <typename Number>
void gemma_rmsnorm(std::span<const Number> x, std::span<const double> weight, double epsilon,
                   const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  const Number offset = arithmetic.step(exactly<Number>(epsilon));
  const Number scale = arithmetic.reciprocal_root(arithmetic.step(arithmetic.mean_square(x) + offset));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Number normed = arithmetic.step(x[i] * scale);
    const Number gain = arithmetic.step(exactly<Number>(1) + exactly<Number>(weight[i]));
    out[i] = arithmetic.stored_if(arithmetic.profile().store_norm, normed * gain);
  }
}

template void gemma_rmsnorm(std::span<const Bounded>, std::span<const double>, double,
                            const BasicEngineArithmetic<Bounded>&, std::span<Bounded>);
template void gemma_rmsnorm(std::span<const double>, std::span<const double>, double,
                            const BasicEngineArithmetic<double>&, std::span<double>);

}  // namespace plumbline

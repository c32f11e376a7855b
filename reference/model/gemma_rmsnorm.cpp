#include "reference/model/gemma_rmsnorm.h"

namespace plumbline {

void gemma_rmsnorm(std::span<const Bounded> x, std::span<const double> weight, double epsilon,
                   const EngineArithmetic& arithmetic, std::span<Bounded> out) {
  const Bounded offset = arithmetic.step({epsilon, 0});
  const Bounded scale = arithmetic.reciprocal_root(arithmetic.step(arithmetic.mean_square(x) + offset));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Bounded normed = arithmetic.step(x[i] * scale);
    const Bounded gain = arithmetic.step(Bounded{1, 0} + Bounded{weight[i], 0});
    out[i] = arithmetic.store_if(arithmetic.profile().store_norm, arithmetic.step(normed * gain));
  }
}

}  // namespace plumbline

#include "reference/model/causal_convolution.h"

#include "reference/model/number.h"

#include <algorithm>

namespace plumbline {

template <typename Number>
Rows<Number> causal_convolution(const Rows<Number>& x, const ConvolutionWeights& weights, bool stored,
                                const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& history) {
  Rows<Number> all(history.rows + x.rows, x.width);
  std::copy(history.numbers.begin(), history.numbers.end(), all.numbers.begin());
  std::copy(x.numbers.begin(), x.numbers.end(), all.numbers.begin() + history.rows * x.width);

  Rows<Number> out(x.rows, x.width);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < x.rows; ++row) {
    std::vector<Number> window(static_cast<std::size_t>(weights.taps)), filter(window.size());
    for (std::int64_t channel = 0; channel < x.width; ++channel) {
      for (std::int64_t tap = 0; tap < weights.taps; ++tap) {
        const auto at = static_cast<std::size_t>(tap);
        window[at] = all.row(row + tap * weights.dilation)[static_cast<std::size_t>(channel)];
        filter[at] = exactly<Number>(weights.filter[static_cast<std::size_t>(channel * weights.taps + tap)]);
      }
      out.row(row)[static_cast<std::size_t>(channel)] = arithmetic.stored_if(
          stored, arithmetic.dot(std::span<const Number>(window), std::span<const Number>(filter)));
    }
  }
  std::copy(all.numbers.end() - static_cast<std::ptrdiff_t>(history.numbers.size()), all.numbers.end(),
            history.numbers.begin());
  return out;
}

template Rows<Bounded> causal_convolution(const Rows<Bounded>&, const ConvolutionWeights&, bool,
                                          const BasicEngineArithmetic<Bounded>&, Rows<Bounded>&);
template Rows<double> causal_convolution(const Rows<double>&, const ConvolutionWeights&, bool,
                                         const BasicEngineArithmetic<double>&, Rows<double>&);

}  // namespace plumbline

#include "reference/model/causal_convolution.h"

#include "reference/model/number.h"
#include "reference/numeric/worth_threads.h"

#include <algorithm>
#include <utility>

namespace plumbline {

namespace {

Rows<Bounded> filtered(const Rows<Bounded>& all, std::int64_t rows, const ConvolutionWeights& weights,
                       bool stored, const BasicEngineArithmetic<Bounded>& arithmetic) {
  Rows<Bounded> out(rows, all.width);
#pragma omp parallel for schedule(static) if (worth_threads_elements(rows * all.width))
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<Bounded> window(static_cast<std::size_t>(weights.taps)), filter(window.size());
    for (std::int64_t channel = 0; channel < all.width; ++channel) {
      for (std::int64_t tap = 0; tap < weights.taps; ++tap) {
        const auto at = static_cast<std::size_t>(tap);
        window[at] = all.row(row + tap * weights.dilation)[static_cast<std::size_t>(channel)];
        filter[at] = exactly<Bounded>(weights.filter[static_cast<std::size_t>(channel * weights.taps + tap)]);
      }
      out.row(row)[static_cast<std::size_t>(channel)] = arithmetic.stored_if(
          stored, arithmetic.dot(std::span<const Bounded>(window), std::span<const Bounded>(filter)));
    }
  }
  return out;
}

/// The same sums, channels innermost.
Rows<double> filtered(const Rows<double>& all, std::int64_t rows, const ConvolutionWeights& weights,
                      bool stored, const BasicEngineArithmetic<double>& arithmetic) {
  const std::int64_t channels = all.width;
  std::vector<double> filter(weights.filter.size());  // [taps, channels]
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t tap = 0; tap < weights.taps; ++tap)
      filter[static_cast<std::size_t>(tap * channels + channel)] =
          weights.filter[static_cast<std::size_t>(channel * weights.taps + tap)];
  }
  Rows<double> out(rows, channels);
#pragma omp parallel for schedule(static) if (worth_threads_elements(rows * all.width))
  for (std::int64_t row = 0; row < rows; ++row) {
    double* sum = out.row(row).data();
    for (std::int64_t tap = 0; tap < weights.taps; ++tap) {
      const double* x = all.row(row + tap * weights.dilation).data();
      const double* weight = filter.data() + tap * channels;
      for (std::int64_t channel = 0; channel < channels; ++channel)
        sum[channel] += x[channel] * weight[channel];
    }
    for (double& number : out.row(row)) number = arithmetic.stored_if(stored, number);
  }
  return out;
}

}  // namespace

template <typename Number>
Rows<Number> causal_convolution(const Rows<Number>& x, const ConvolutionWeights& weights, bool stored,
                                const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& history) {
  Rows<Number> all(history.rows + x.rows, x.width);
  std::copy(history.numbers.begin(), history.numbers.end(), all.numbers.begin());
  std::copy(x.numbers.begin(), x.numbers.end(), all.numbers.begin() + history.rows * x.width);

  Rows<Number> out = filtered(all, x.rows, weights, stored, arithmetic);
  std::copy(all.numbers.end() - static_cast<std::ptrdiff_t>(history.numbers.size()), all.numbers.end(),
            history.numbers.begin());
  return out;
}

template <typename Number>
void remember(Rows<Number>& earlier, const Rows<Number>& history, const Rows<Number>& x) {
  earlier.width = x.width;
  // Of all inputs those before the last history.rows, of which the last ones stay.
  const std::int64_t all = earlier.rows + history.rows + x.rows,
                     kept = std::min(kTakeBackReach, all - history.rows);
  std::vector<Number> numbers;
  numbers.reserve(static_cast<std::size_t>(kept * x.width));
  std::int64_t skip = (all - history.rows - kept) * x.width, take = kept * x.width;
  for (const Rows<Number>* part : {static_cast<const Rows<Number>*>(&earlier), &history, &x}) {
    const auto size = static_cast<std::int64_t>(part->numbers.size());
    const std::int64_t first = std::min(skip, size), count = std::min(take, size - first);
    numbers.insert(numbers.end(), part->numbers.begin() + first, part->numbers.begin() + first + count);
    skip -= first;
    take -= count;
  }
  earlier.numbers = std::move(numbers);
  earlier.rows = kept;
}

template <typename Number>
void take_back(Rows<Number>& earlier, Rows<Number>& history, std::int64_t tokens) {
  std::vector<Number> all = std::move(earlier.numbers);
  all.insert(all.end(), history.numbers.begin(), history.numbers.end());
  all.resize(all.size() - static_cast<std::size_t>(tokens * history.width));
  const auto split = all.end() - static_cast<std::ptrdiff_t>(history.numbers.size());
  std::copy(split, all.end(), history.numbers.begin());
  all.erase(split, all.end());
  earlier.numbers = std::move(all);
  earlier.rows -= tokens;
}

#define PLUMBLINE_INSTANTIATE(Number)                                              \
  template void remember(Rows<Number>&, const Rows<Number>&, const Rows<Number>&); \
  template void take_back(Rows<Number>&, Rows<Number>&, std::int64_t);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

template Rows<Bounded> causal_convolution(const Rows<Bounded>&, const ConvolutionWeights&, bool,
                                          const BasicEngineArithmetic<Bounded>&, Rows<Bounded>&);
template Rows<double> causal_convolution(const Rows<double>&, const ConvolutionWeights&, bool,
                                         const BasicEngineArithmetic<double>&, Rows<double>&);

}  // namespace plumbline

#include "reference/model/gated_residual.h"

#include "reference/model/gemma_rmsnorm.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/numeric/worth_threads.h"

namespace plumbline {
namespace {

/// linear(x) / divisor, an activation before and after the division where each step is stored.
template <typename Number>
Rows<Number> scaled_projection(const Rows<Number>& x, const LinearWeight& weight, std::int64_t divisor,
                               bool stored, const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out =
      stored ? linear_layer(x, weight, arithmetic) : linear_layer_unstored(x, weight, arithmetic);
  const Number count = exactly<Number>(static_cast<double>(divisor));
  for (Number& number : out.numbers) number = arithmetic.stored_if(stored, number * reciprocal(count));
  return out;
}

}  // namespace

template <typename Number>
Rows<Number> grouped_rmsnorm(const Rows<Number>& x, std::span<const double> weight, std::int64_t groups,
                             double epsilon, const BasicEngineArithmetic<Number>& arithmetic) {
  Rows<Number> out(x.rows, x.width);
  const std::int64_t width = x.width / groups;
#pragma omp parallel for schedule(static) if (worth_threads_elements(x.rows * x.width))
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t group = 0; group < groups; ++group) {
      const auto gains =
          weight.subspan(static_cast<std::size_t>(group * width), static_cast<std::size_t>(width));
      gemma_rmsnorm<Number>(x.part(row, group * width, width), gains, epsilon, arithmetic,
                            out.part(row, group * width, width));
    }
  }
  return out;
}

template <typename Number>
MixedStreams<Number> mix_streams(const Rows<Number>& streams, const GatedResidualWeights& weights,
                                 const BasicEngineArithmetic<Number>& arithmetic) {
  const bool stored = arithmetic.profile().store_residual_steps;
  const std::int64_t groups = weights.streams, width = streams.width / groups;
  const Rows<Number> normed =
      grouped_rmsnorm<Number>(streams, weights.norm, groups, weights.epsilon, arithmetic);
  Rows<Number> narrow = scaled_projection(normed, weights.down, groups, stored, arithmetic);
  for (Number& number : narrow.numbers) number = arithmetic.stored_if(stored, arithmetic.silu(number));
  const Rows<Number> gate = stored ? linear_layer(narrow, weights.up, arithmetic)
                                   : linear_layer_unstored(narrow, weights.up, arithmetic);

  MixedStreams<Number> mixed{Rows<Number>(streams.rows, width), {}};
#pragma omp parallel for schedule(static) if (worth_threads_elements(streams.rows * streams.width))
  for (std::int64_t row = 0; row < streams.rows; ++row) {
    std::vector<Number> terms(static_cast<std::size_t>(groups));
    for (std::int64_t column = 0; column < width; ++column) {
      for (std::int64_t group = 0; group < groups; ++group) {
        const auto at = static_cast<std::size_t>(group * width + column);
        const Number open = arithmetic.stored_if(stored, arithmetic.sigmoid(gate.row(row)[at]));
        terms[static_cast<std::size_t>(group)] = arithmetic.stored_if(stored, open * normed.row(row)[at]);
      }
      mixed.input.row(row)[static_cast<std::size_t>(column)] =
          arithmetic.stored(arithmetic.mean(std::span<const Number>(terms)));
    }
  }
  if (weights.inject) {
    mixed.injection = scaled_projection(normed, *weights.inject, groups, stored, arithmetic);
    for (Number& number : mixed.injection.numbers) {
      number =
          arithmetic.stored(exactly<Number>(2) * arithmetic.stored_if(stored, arithmetic.sigmoid(number)));
    }
  }
  return mixed;
}

template <typename Number>
void inject_into_streams(const Rows<Number>& output, const Rows<Number>& injection,
                         const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& streams) {
  const bool stored = arithmetic.profile().store_residual_steps;
#pragma omp parallel for schedule(static) if (worth_threads_elements(streams.rows * streams.width))
  for (std::int64_t row = 0; row < streams.rows; ++row) {
    for (std::int64_t group = 0; group < injection.width; ++group) {
      const Number share = injection.row(row)[static_cast<std::size_t>(group)];
      const auto stream = streams.part(row, group * output.width, output.width);
      for (std::size_t i = 0; i < stream.size(); ++i) {
        stream[i] = arithmetic.stored(stream[i] + arithmetic.stored_if(stored, output.row(row)[i] * share));
      }
    }
  }
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                       \
  template Rows<Number> grouped_rmsnorm(const Rows<Number>&, std::span<const double>, std::int64_t, double, \
                                        const BasicEngineArithmetic<Number>&);                              \
  template MixedStreams<Number> mix_streams(const Rows<Number>&, const GatedResidualWeights&,               \
                                            const BasicEngineArithmetic<Number>&);                          \
  template void inject_into_streams(const Rows<Number>&, const Rows<Number>&,                               \
                                    const BasicEngineArithmetic<Number>&, Rows<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

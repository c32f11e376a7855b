#include "reference/model/ple_layer.h"

#include "reference/model/gated_residual.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/numeric/decode_row.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double kSmallestGate = 1e-6;  // clamp under the root

/// σ(sign(s)·√max(|s|, 1e-6)), each step an activation. Where the sign of s is uncertain, so is the gate.
template <typename Number>
Number signed_root_gate(Number s, const BasicEngineArithmetic<Number>& arithmetic) {
  const double magnitude = std::max(std::abs(value_of(s)), kSmallestGate);
  const Number clamped = within<Number>(magnitude, error_of(s));
  Number root = arithmetic.stored(square_root(clamped));
  if (value_of(s) == 0) root = exactly<Number>(0);
  if (value_of(s) < 0) root = -root;
  if (error_of(s) > 0 && std::abs(value_of(s)) <= error_of(s))
    root = widened(root, 2 * largest_magnitude(root));
  return arithmetic.stored(arithmetic.sigmoid(root));
}

/// Σ over a stream of key·query / √H.
template <typename Number>
Number agreement(std::span<const Number> key, std::span<const Number> query,
                 const BasicEngineArithmetic<Number>& arithmetic) {
  std::vector<Number> products(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) products[i] = arithmetic.stored(key[i] * query[i]);
  const Number sum = arithmetic.stored(arithmetic.sum(std::span<const Number>(products)));
  const Number root = arithmetic.step(exactly<Number>(std::sqrt(static_cast<double>(key.size()))));
  return arithmetic.stored(sum * reciprocal(root));
}

}  // namespace

template <typename Number>
PleState<Number>::PleState(const PleWeights& weights)
    : context(static_cast<std::size_t>(weights.shape.ngram_size - 1), weights.end_of_sequence),
      convolution(weights.convolution.history(), static_cast<std::int64_t>(weights.norm_convolution.size())) {
}

template <typename Number>
Rows<Number> ngram_embedding(std::span<const std::int64_t> tokens, const PleWeights& weights,
                             std::vector<std::int64_t>& context) {
  const std::vector<std::int64_t> table_rows =
      ngram_rows(weights.shape, weights.tables, weights.end_of_sequence, context, tokens);
  const std::int64_t heads = weights.shape.heads();
  Rows<Number> out(static_cast<std::int64_t>(tokens.size()), heads * weights.head_width);
  const TensorView& table = weights.embedding.view;
  std::vector<float> row(static_cast<std::size_t>(weights.head_width));
  for (std::int64_t i = 0; i < out.rows * heads; ++i) {
    decode_row(table.dtype, table.at(table_rows[static_cast<std::size_t>(i)]), 1, row);
    std::ranges::transform(row, out.numbers.begin() + i * weights.head_width,
                           [](float number) { return exactly<Number>(static_cast<double>(number)); });
  }
  std::vector<std::int64_t> history = context;
  history.insert(history.end(), tokens.begin(), tokens.end());
  context.assign(history.end() - static_cast<std::ptrdiff_t>(context.size()), history.end());
  return out;
}

template <typename Number>
Rows<Number> ple_layer(const Rows<Number>& streams, const Rows<Number>& embedding, const PleWeights& weights,
                       const BasicEngineArithmetic<Number>& arithmetic, Rows<Number>& convolution_history,
                       Rows<Number>* earlier) {
  const std::int64_t groups = weights.streams, width = streams.width / groups;
  const Rows<Number> key = grouped_rmsnorm<Number>(linear_layer(embedding, weights.key, arithmetic),
                                                   weights.norm_key, groups, weights.epsilon, arithmetic);
  const Rows<Number> query =
      grouped_rmsnorm<Number>(streams, weights.norm_query, groups, weights.epsilon, arithmetic);
  const Rows<Number> value = linear_layer(embedding, weights.value, arithmetic);
  Rows<Number> gated(streams.rows, streams.width);
  for (std::int64_t t = 0; t < streams.rows; ++t) {
    for (std::int64_t group = 0; group < groups; ++group) {
      const Number gate = signed_root_gate(
          agreement(key.part(t, group * width, width), query.part(t, group * width, width), arithmetic),
          arithmetic);
      const auto out = gated.part(t, group * width, width);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = arithmetic.stored(gate * value.row(t)[i]);
    }
  }
  const Rows<Number> normed =
      grouped_rmsnorm<Number>(gated, weights.norm_convolution, groups, weights.epsilon, arithmetic);
  if (earlier != nullptr) remember(*earlier, convolution_history, normed);
  const Rows<Number> convolved =
      causal_convolution(normed, weights.convolution, arithmetic.profile().store_ple_convolution, arithmetic,
                         convolution_history);
  for (std::size_t i = 0; i < gated.numbers.size(); ++i) {
    const Number fresh = arithmetic.stored(arithmetic.silu(convolved.numbers[i]));
    gated.numbers[i] = arithmetic.stored(gated.numbers[i] + fresh);
  }
  return gated;
}

#define PLUMBLINE_INSTANTIATE(Number)                                                          \
  template struct PleState<Number>;                                                            \
  template Rows<Number> ngram_embedding(std::span<const std::int64_t>, const PleWeights&,      \
                                        std::vector<std::int64_t>&);                           \
  template Rows<Number> ple_layer(const Rows<Number>&, const Rows<Number>&, const PleWeights&, \
                                  const BasicEngineArithmetic<Number>&, Rows<Number>&, Rows<Number>*);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

#include "reference/model/sparse_attention.h"

#include "reference/model/number.h"
#include "reference/model/softmax.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
template <typename Number>
void sparse_attention(std::span<const Number> query, const Rows<Number>& keys, const Rows<Number>& values,
                      std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                      const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  std::fill(out.begin(), out.end(), Number{});
  if (tokens.empty()) return;
  const std::int64_t dim = geometry.head_dim;
  const bool stored = arithmetic.profile().store_scores;
  const Number scale = arithmetic.step(exactly<Number>(1 / std::sqrt(static_cast<double>(dim))));
  std::vector<Number> weights(tokens.size());
  for (std::int64_t head = 0; head < geometry.heads; ++head) {
    const std::int64_t shared = head / (geometry.heads / geometry.key_value_heads) * dim;
    const auto q = query.subspan(static_cast<std::size_t>(head * dim), static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Number product =
          arithmetic.stored_if(stored, arithmetic.dot(q, keys.part(tokens[i], shared, dim)));
      weights[i] = arithmetic.stored_if(stored, product * scale);
    }
    softmax<Number>(weights, arithmetic);
    for (Number& weight : weights) {
      weight = arithmetic.stored_if(arithmetic.profile().store_probabilities, weight);
    }
    std::vector<Number> sum(static_cast<std::size_t>(dim), Number{});
    std::vector<double> magnitude(sum.size(), 0.0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto value = values.part(tokens[i], shared, dim);
      for (std::size_t c = 0; c < sum.size(); ++c) {
        const Number product = weights[i] * value[c];
        sum[c] = sum[c] + product;
        magnitude[c] += largest_magnitude(product);
      }
    }
    for (std::size_t c = 0; c < sum.size(); ++c) {
      out[static_cast<std::size_t>(head * dim) + c] = arithmetic.stored(
          arithmetic.reduced(sum[c], magnitude[c], static_cast<std::int64_t>(tokens.size())));
    }
  }
}

template <typename Number>
void apply_output_gate(std::span<const Number> gate, const BasicEngineArithmetic<Number>& arithmetic,
                       std::span<Number> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Number open =
        arithmetic.stored_if(arithmetic.profile().store_output_gate, arithmetic.sigmoid(gate[i]));
    out[i] = arithmetic.stored(out[i] * open);
  }
}

#define PLUMBLINE_INSTANTIATE(Number)                                                               \
  template void sparse_attention(std::span<const Number>, const Rows<Number>&, const Rows<Number>&, \
                                 std::span<const std::int32_t>, const AttentionGeometry&,           \
                                 const BasicEngineArithmetic<Number>&, std::span<Number>);          \
  template void apply_output_gate(std::span<const Number>, const BasicEngineArithmetic<Number>&,    \
                                  std::span<Number>);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

#include "reference/model/sparse_attention.h"

#include "reference/model/number.h"
#include "reference/model/softmax.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double kLog2E = 1.4426950408889634;

/// Whether the scores are logarithms to the base 2.
bool to_base_2(const RoundingProfile& profile) {
  return profile.normalise_after_values || profile.scale_query;
}

/// One head's scaled scores of the listed tokens.
template <typename Number>
void head_scores(std::span<const Number> q, const Rows<Number>& keys, std::int64_t first_column,
                 std::span<const std::int32_t> tokens, const BasicEngineArithmetic<Number>& arithmetic,
                 std::span<Number> scores) {
  const RoundingProfile& profile = arithmetic.profile();
  const double scale_of_dot = 1 / std::sqrt(static_cast<double>(q.size()));
  const Number scale =
      arithmetic.step(exactly<Number>(to_base_2(profile) ? kLog2E * scale_of_dot : scale_of_dot));
  std::vector<Number> query(q.begin(), q.end());
  if (profile.scale_query) {
    for (Number& number : query) number = arithmetic.stored(number * scale);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto key = keys.part(tokens[i], first_column, static_cast<std::int64_t>(q.size()));
    const Number product =
        arithmetic.stored_if(profile.store_scores, arithmetic.dot(std::span<const Number>(query), key));
    scores[i] = profile.scale_query ? product : arithmetic.stored_if(profile.store_scores, product * scale);
  }
}

}  // namespace

template <typename Number>
void sparse_attention(std::span<const Number> query, const Rows<Number>& keys, const Rows<Number>& values,
                      std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                      const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  std::fill(out.begin(), out.end(), Number{});
  if (tokens.empty()) return;
  const RoundingProfile& profile = arithmetic.profile();
  const std::int64_t dim = geometry.head_dim;
  std::vector<Number> weights(tokens.size());
  for (std::int64_t head = 0; head < geometry.heads; ++head) {
    const std::int64_t shared = head / (geometry.heads / geometry.key_value_heads) * dim;
    const auto q = query.subspan(static_cast<std::size_t>(head * dim), static_cast<std::size_t>(dim));
    head_scores<Number>(q, keys, shared, tokens, arithmetic, weights);
    const Number normaliser = exponentials<Number>(weights, to_base_2(profile), arithmetic);
    for (Number& weight : weights) {
      const Number share = profile.normalise_after_values ? weight : arithmetic.quotient(weight, normaliser);
      weight = arithmetic.stored_if(profile.store_probabilities, share);
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
      const Number total = arithmetic.reduced(sum[c], magnitude[c], static_cast<std::int64_t>(tokens.size()));
      out[static_cast<std::size_t>(head * dim) + c] = arithmetic.stored(
          profile.normalise_after_values ? arithmetic.quotient(arithmetic.step(total), normaliser) : total);
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

void attention_weights(std::span<const Bounded> query, const Rows<Bounded>& keys,
                       std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                       const EngineArithmetic& arithmetic, std::span<Bounded> out) {
  if (tokens.empty()) return;
  const auto dim = static_cast<std::size_t>(geometry.head_dim);
  for (std::int64_t head = 0; head < geometry.heads; ++head) {
    const auto own = out.subspan(static_cast<std::size_t>(head) * tokens.size(), tokens.size());
    const std::int64_t shared = head / (geometry.heads / geometry.key_value_heads) * geometry.head_dim;
    head_scores<Bounded>(query.subspan(static_cast<std::size_t>(head) * dim, dim), keys, shared, tokens,
                         arithmetic, own);
    const Bounded sum = exponentials<Bounded>(own, to_base_2(arithmetic.profile()), arithmetic);
    for (Bounded& weight : own) {
      weight =
          arithmetic.stored_if(arithmetic.profile().store_probabilities, arithmetic.quotient(weight, sum));
    }
  }
}

}  // namespace plumbline

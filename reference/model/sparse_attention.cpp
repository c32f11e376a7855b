#include "reference/model/sparse_attention.h"

#include "reference/model/number.h"
#include "reference/model/softmax.h"
#include "reference/numeric/tile_product.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double kLog2E = 1.4426950408889634;

/// Whether the scores are logarithms to the base 2.
bool to_base_2(const RoundingProfile& profile) {
  return profile.normalise_after_values || profile.scale_query;
}

template <typename Number>
Number score_scale(const AttentionGeometry& geometry, const BasicEngineArithmetic<Number>& arithmetic) {
  const double scale = geometry.scale();
  return arithmetic.step(exactly<Number>(to_base_2(arithmetic.profile()) ? kLog2E * scale : scale));
}

/// One head's scaled scores of the listed tokens.
template <typename Number>
void head_scores(std::span<const Number> q, const Rows<Number>& keys, std::int64_t first_column,
                 std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                 const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> scores) {
  const RoundingProfile& profile = arithmetic.profile();
  const Number scale = score_scale<Number>(geometry, arithmetic);
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

/// The scores of one head as weights of its values; returns what their sum is to be divided by.
template <typename Number>
Number weights_of_scores(std::span<Number> scores, const BasicEngineArithmetic<Number>& arithmetic) {
  const RoundingProfile& profile = arithmetic.profile();
  const Number normaliser = exponentials<Number>(scores, to_base_2(profile), arithmetic);
  for (Number& weight : scores) {
    const Number share = profile.normalise_after_values ? weight : arithmetic.quotient(weight, normaliser);
    weight = arithmetic.stored_if(profile.store_probabilities, share);
  }
  return normaliser;
}

template <typename Number>
Number output_of_sum(Number total, Number normaliser, const BasicEngineArithmetic<Number>& arithmetic) {
  return arithmetic.stored(arithmetic.profile().normalise_after_values
                               ? arithmetic.quotient(arithmetic.step(total), normaliser)
                               : total);
}

/// The query heads of one key/value head, one after another.
void attend(std::span<const Bounded> query, const Rows<Bounded>& keys, const Rows<Bounded>& values,
            std::int64_t first_column, std::span<const std::int32_t> tokens,
            const AttentionGeometry& geometry, const BasicEngineArithmetic<Bounded>& arithmetic,
            std::span<Bounded> out) {
  const std::int64_t dim = geometry.head_dim;
  std::vector<Bounded> weights(tokens.size());
  const auto width = static_cast<std::size_t>(dim);
  for (std::size_t head = 0; head < query.size(); head += width) {
    head_scores<Bounded>(query.subspan(head, width), keys, first_column, tokens, geometry, arithmetic,
                         weights);
    const Bounded normaliser = weights_of_scores<Bounded>(weights, arithmetic);
    std::vector<Bounded> sum(width, Bounded{});
    std::vector<double> magnitude(width, 0.0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto value = values.part(tokens[i], first_column, dim);
      for (std::size_t c = 0; c < width; ++c) {
        const Bounded product = weights[i] * value[c];
        sum[c] = sum[c] + product;
        magnitude[c] += largest_magnitude(product);
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      const Bounded total =
          arithmetic.reduced(sum[c], magnitude[c], static_cast<std::int64_t>(tokens.size()));
      out[head + c] = output_of_sum(total, normaliser, arithmetic);
    }
  }
}

/// The same sums for all its query heads at once, so that a key or value is read once for them.
void attend(std::span<const double> query, const Rows<double>& keys, const Rows<double>& values,
            std::int64_t first_column, std::span<const std::int32_t> tokens,
            const AttentionGeometry& geometry, const BasicEngineArithmetic<double>& arithmetic,
            std::span<double> out) {
  const std::int64_t dim = geometry.head_dim;
  constexpr std::size_t tile = 16;  // heads are columns of the first product
  const RoundingProfile& profile = arithmetic.profile();
  const Products products = profile.float32_arithmetic ? Products::exact : Products::rounded;
  const auto width = static_cast<std::size_t>(dim);
  const std::size_t heads = query.size() / width, padded = (heads + tile - 1) / tile * tile;
  const double scale = score_scale<double>(geometry, arithmetic);
  std::vector<double> columns(width * padded, 0.0);
  for (std::size_t i = 0; i < query.size(); ++i) {
    columns[i % width * padded + i / width] =
        profile.scale_query ? arithmetic.stored(query[i] * scale) : query[i];
  }
  std::vector<const double*> query_rows(width), key_rows(tokens.size()), value_rows(tokens.size());
  for (std::size_t d = 0; d < width; ++d) query_rows[d] = columns.data() + d * padded;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    key_rows[i] = keys.row(tokens[i]).data() + first_column;
    value_rows[i] = values.row(tokens[i]).data() + first_column;
  }
  std::vector<double> scores(tokens.size() * padded);
  tile_product(key_rows, query_rows, static_cast<std::int64_t>(padded), products, scores.data(),
               static_cast<std::int64_t>(padded));
  std::vector<double> weights(heads * tokens.size()), normalisers(heads);
  std::vector<const double*> weight_rows(heads);
  for (std::size_t head = 0; head < heads; ++head) {
    const auto own = std::span(weights).subspan(head * tokens.size(), tokens.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double product = arithmetic.stored_if(profile.store_scores, scores[i * padded + head]);
      own[i] = profile.scale_query ? product : arithmetic.stored_if(profile.store_scores, product * scale);
    }
    normalisers[head] = weights_of_scores<double>(own, arithmetic);
    weight_rows[head] = own.data();
  }
  tile_product(weight_rows, value_rows, dim, products, out.data(), dim);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = output_of_sum(out[i], normalisers[i / width], arithmetic);
}

}  // namespace

double AttentionGeometry::scale() const {
  return softmax_scale ? *softmax_scale : 1 / std::sqrt(static_cast<double>(head_dim));
}

template <typename Number>
void sparse_attention(std::span<const Number> query, const Rows<Number>& keys, const Rows<Number>& values,
                      std::span<const std::int32_t> tokens, const AttentionGeometry& geometry,
                      const BasicEngineArithmetic<Number>& arithmetic, std::span<Number> out) {
  std::fill(out.begin(), out.end(), Number{});
  if (tokens.empty()) return;
  const std::int64_t shared = geometry.heads / geometry.key_value_heads * geometry.head_dim;
  for (std::int64_t head = 0; head < geometry.key_value_heads; ++head) {
    const auto first = static_cast<std::size_t>(head * shared), count = static_cast<std::size_t>(shared);
    attend(query.subspan(first, count), keys, values, head * geometry.head_dim, tokens, geometry, arithmetic,
           out.subspan(first, count));
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
                         geometry, arithmetic, own);
    const Bounded sum = exponentials<Bounded>(own, to_base_2(arithmetic.profile()), arithmetic);
    for (Bounded& weight : own) {
      weight =
          arithmetic.stored_if(arithmetic.profile().store_probabilities, arithmetic.quotient(weight, sum));
    }
  }
}

}  // namespace plumbline

#include "oracle/replay/attended_tokens.h"
#include "oracle/replay/layer_replay.h"
#include "reference/model/gemma_rmsnorm.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

#include <algorithm>

namespace plumbline {
namespace {

/// Head rows [T·heads, dim] of a projection's columns [first, first + dim) of every head of `stride` columns,
/// normed.
Rows<Bounded> normed_heads(const Rows<Bounded>& projected, std::int64_t heads, std::int64_t stride,
                           std::int64_t dim, const std::vector<double>& weight,
                           const ReplayContext& context) {
  Rows<Bounded> out(projected.rows * heads, dim);
  for (std::int64_t row = 0; row < out.rows; ++row) {
    gemma_rmsnorm<Bounded>(projected.part(row / heads, row % heads * stride, dim), weight,
                           context.config.indexer.norm_epsilon, context.arithmetic, out.row(row));
  }
  return out;
}

/// Keys or values of all tokens so far: [tokens, heads·dim] from the recorded [heads, tokens, dim], without
/// padding.
Rows<double> cached(const RecordedForward& forward, const std::string& dataset, const LiveTokens& live,
                    const AttentionGeometry& geometry) {
  const std::int64_t all = live.padded + live.earlier + live.count, heads = geometry.key_value_heads;
  const Rows<double> by_head = forward.whole(dataset, live.batch, heads * all);
  Rows<double> out(live.earlier + live.count, heads * geometry.head_dim);
  for (std::int64_t t = 0; t < out.rows; ++t) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto source = by_head.row(head * all + live.padded + t);
      std::copy(source.begin(), source.end(),
                out.part(t, head * geometry.head_dim, geometry.head_dim).begin());
    }
  }
  return out;
}

void rotate(Rows<Bounded>& heads, std::int64_t per_token, const std::vector<Coordinates>& coordinates,
            const ReplayContext& context) {
  for (std::int64_t row = 0; row < heads.rows; ++row) {
    const Rotation rotation = rotation_at(coordinates[static_cast<std::size_t>(row / per_token)],
                                          context.frequencies, context.arithmetic);
    rope<Bounded>(heads.row(row), rotation, context.arithmetic);
  }
}

/// The cache after a call: what it held before, then the fresh rows [tokens, heads·dim].
Rows<Bounded> grown(const ReplayStep& step, const std::string& dataset, const LiveTokens& live,
                    const AttentionGeometry& geometry, const Rows<Bounded>& fresh) {
  Rows<Bounded> out(0, fresh.width);
  if (step.before != nullptr && live.earlier > 0) {
    LiveTokens past = live;
    past.count = 0;
    out = exact_rows(cached(*step.before, dataset, past, geometry));
  }
  out.numbers.insert(out.numbers.end(), fresh.numbers.begin(), fresh.numbers.end());
  out.rows += fresh.rows;
  return out;
}

/// Each query's weights of all live tokens, one row a head: 0 for tokens it does not attend.
Rows<Bounded> weights_of_queries(const Rows<Bounded>& queries, const Rows<Bounded>& keys,
                                 const std::vector<std::vector<std::int32_t>>& tokens,
                                 const ReplayContext& context) {
  const AttentionGeometry& geometry = context.config.attention;
  Rows<Bounded> all(queries.rows * geometry.heads, keys.rows);
  for (std::int64_t t = 0; t < queries.rows; ++t) {
    const std::vector<std::int32_t>& attended = tokens[static_cast<std::size_t>(t)];
    Rows<Bounded> weights(geometry.heads, std::ssize(attended));
    attention_weights(queries.row(t), keys, attended, geometry, context.arithmetic, weights.numbers);
    for (std::int64_t head = 0; head < geometry.heads; ++head) {
      for (std::size_t i = 0; i < attended.size(); ++i)
        all.row(t * geometry.heads + head)[static_cast<std::size_t>(attended[i])] = weights.row(head)[i];
    }
  }
  return all;
}

/// The same of a recorded [heads, queries, tokens].
Rows<double> recorded_weights(const RecordedForward& forward, const std::string& dataset,
                              const LiveTokens& live, std::int64_t heads) {
  const std::int64_t queries = live.first + live.count;  // padding stands before the live ones
  const Rows<double> by_head = forward.whole(dataset, live.batch, heads * queries);
  Rows<double> all(live.count * heads, live.earlier + live.count);
  for (std::int64_t row = 0; row < all.rows; ++row) {
    const auto from = by_head.row(row % heads * queries + live.first + row / heads);
    std::ranges::copy(from.subspan(static_cast<std::size_t>(live.padded)), all.row(row).begin());
  }
  return all;
}

}  // namespace

void replay_attention(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps) {
  const LayerWeights& layer_weights = context.weights.layers[static_cast<std::size_t>(layer)];
  if (!layer_weights.attention) return;
  const QsaWeights& weights = *layer_weights.attention;
  const AttentionGeometry& geometry = context.config.attention;
  const RecordedForward& forward = step.forward;
  const std::int64_t dim = geometry.head_dim;
  const std::string module = layer_tap(layer, ".self_attn"),
                    input = layer_tap(layer, ".attn_hyper_connection/out");
  const std::string keys_state = layer_state(layer, "keys"), values_state = layer_state(layer, "values");
  const auto projected = [&](const LinearWeight& weight, const LiveTokens& live) {
    return linear_layer(recorded(forward, input, live), weight, context.arithmetic);
  };

  taps.compare(forward, module + ".indexer.index_qk_proj/out", "indexer.projection", 1,
               [&](const LiveTokens& live) { return projected(weights.index, live); });
  taps.compare(forward, module + ".q_norm/out", "attention.query_norm", geometry.heads,
               [&](const LiveTokens& live) {
                 return normed_heads(projected(weights.query_and_gate, live), geometry.heads, 2 * dim, dim,
                                     weights.query_norm, context);
               });
  taps.compare(forward, module + ".k_norm/out", "attention.key_norm", geometry.key_value_heads,
               [&](const LiveTokens& live) {
                 return normed_heads(projected(weights.key, live), geometry.key_value_heads, dim, dim,
                                     weights.key_norm, context);
               });
  if (forward.has(input)) {
    taps.compare(forward, module + ".indexer/in", "handed_over", 1,
                 [&](const LiveTokens& live) { return recorded(forward, input, live); });
  }
  const std::string mask = module + ".indexer/out", probabilities = module + "/out.1";
  taps.compare_read(
      forward, mask, "indexer.mask", {1, true},
      [&](const LiveTokens& live) {
        return attended_by_selection(RecordedSelection(forward, context.config), layer, live,
                                     context.config.indexer.geometry);
      },
      [&](const LiveTokens& live) { return attended_by_mask(forward, mask, live); });
  const auto stored_rows = [&](const std::string& dataset) {
    return [&forward, &geometry, dataset](const LiveTokens& live) {
      return cached(forward, dataset, live, geometry);
    };
  };
  taps.compare_read(
      forward, keys_state, "attention.keys", {},
      [&](const LiveTokens& live) {
        Rows<Bounded> keys = recorded(forward, module + ".k_norm/out", live, geometry.key_value_heads);
        rotate(keys, geometry.key_value_heads, forward.coordinates(live), context);
        return grown(step, keys_state, live, geometry, reshaped(std::move(keys), live.count));
      },
      stored_rows(keys_state));
  taps.compare_read(
      forward, values_state, "attention.values", {},
      [&](const LiveTokens& live) {
        return grown(step, values_state, live, geometry, projected(weights.value, live));
      },
      stored_rows(values_state));
  OncePerSequence<Rows<Bounded>> rotated_queries([&](const LiveTokens& live) {
    Rows<Bounded> queries = recorded(forward, module + ".q_norm/out", live, geometry.heads);
    rotate(queries, geometry.heads, forward.coordinates(live), context);
    return reshaped(std::move(queries), live.count);
  });
  const auto attended = [&](const LiveTokens& live) {
    return token_lists(attended_by_mask(forward, mask, live), live);
  };
  taps.compare_read(
      forward, probabilities, "attention.weights", {geometry.heads, true},
      [&](const LiveTokens& live) {
        return weights_of_queries(rotated_queries(live),
                                  exact_rows(cached(forward, keys_state, live, geometry)), attended(live),
                                  context);
      },
      [&](const LiveTokens& live) { return recorded_weights(forward, probabilities, live, geometry.heads); });
  taps.compare(forward, module + "/out", "attention.out", 1, [&](const LiveTokens& live) {
    const Rows<Bounded>& queries = rotated_queries(live);
    const Rows<Bounded> keys = exact_rows(cached(forward, keys_state, live, geometry));
    const Rows<Bounded> values = exact_rows(cached(forward, values_state, live, geometry));
    const Rows<Bounded> query_and_gate = projected(weights.query_and_gate, live);
    const std::vector<std::vector<std::int32_t>> tokens = attended(live);
    Rows<Bounded> out(live.count, geometry.heads * dim);
    for (std::int64_t t = 0; t < live.count; ++t) {
      sparse_attention<Bounded>(queries.row(t), keys, values, tokens[static_cast<std::size_t>(t)], geometry,
                                context.arithmetic, out.row(t));
      std::vector<Bounded> gate;
      for (std::int64_t head = 0; head < geometry.heads; ++head) {
        const auto part = query_and_gate.part(t, (2 * head + 1) * dim, dim);
        gate.insert(gate.end(), part.begin(), part.end());
      }
      apply_output_gate<Bounded>(gate, context.arithmetic, out.row(t));
    }
    return linear_layer(out, weights.out, context.arithmetic);
  });
}

}  // namespace plumbline

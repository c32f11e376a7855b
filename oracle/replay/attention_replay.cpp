#include "fixtures/error.h"
#include "oracle/replay/layer_replay.h"
#include "oracle/replay/recorded_selection.h"
#include "reference/model/expand_tokens.h"
#include "reference/model/gemma_rmsnorm.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

#include <algorithm>

#include <fmt/format.h>

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

/// Tokens each query attends, from the recorded additive mask of the indexer: 0 keeps a token, as far as it
/// is not in the future. Counted from the first live token.
std::vector<std::int32_t> selected_tokens(const Rows<double>& mask, std::int64_t query,
                                          const LiveTokens& live) {
  std::vector<std::int32_t> tokens;
  for (std::int64_t t = 0; t <= live.earlier + query; ++t) {
    if (mask.row(query)[static_cast<std::size_t>(live.padded + t)] == 0)
      tokens.push_back(static_cast<std::int32_t>(t));
  }
  return tokens;
}

/// 1 for each live token a query attends by the recorded selection and its open block, else 0.
Rows<Bounded> attended_tokens(const RecordedSelection& selection, std::int64_t layer, const LiveTokens& live,
                              const SelectGeometry& geometry) {
  Rows<Bounded> attended(live.count, live.earlier + live.count);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(geometry.token_width()));
  for (std::int64_t t = 0; t < live.count; ++t) {
    const std::int64_t position = live.earlier + t;
    std::vector<std::int32_t> blocks = selection.of_query(layer, live, position);
    blocks.resize(static_cast<std::size_t>(geometry.block_topk), -1);
    expand_tokens(blocks, position, position + 1, geometry.compress_ratio, tokens);
    for (const std::int32_t token : tokens) {
      if (token >= 0) attended.row(t)[static_cast<std::size_t>(token)] = {1, 0};
    }
  }
  return attended;
}

/// The indexer's recorded additive mask, one row a live token and one column a token, padded ones first.
Rows<double> recorded_mask(const RecordedForward& forward, const std::string& dataset,
                           const LiveTokens& live) {
  Rows<double> mask = forward.live_rows(dataset, live);
  const std::int64_t tokens = live.padded + live.earlier + live.count;
  if (mask.rows > 0 && mask.width != tokens) {
    throw InputError(fmt::format("/forward/{}/{}: expected {} tokens a query, found {}", forward.name(),
                                 dataset, tokens, mask.width));
  }
  return mask;
}

/// The same as attended_tokens, by the mask.
Rows<double> unmasked_tokens(const Rows<double>& mask, const LiveTokens& live) {
  Rows<double> attended(live.count, live.earlier + live.count);
  for (std::int64_t t = 0; t < live.count; ++t) {
    const auto kept = mask.row(t).subspan(static_cast<std::size_t>(live.padded));
    std::ranges::transform(kept, attended.row(t).begin(),
                           [](double added) { return added == 0 ? 1.0 : 0.0; });
  }
  return attended;
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
  const std::string mask = module + ".indexer/out";
  taps.compare_read(
      forward, mask, "indexer.mask",
      [&](const LiveTokens& live) {
        return attended_tokens(RecordedSelection(forward, context.config), layer, live,
                               context.config.indexer.geometry);
      },
      [&](const LiveTokens& live) { return unmasked_tokens(recorded_mask(forward, mask, live), live); });
  const auto stored_rows = [&](const std::string& dataset) {
    return [&forward, &geometry, dataset](const LiveTokens& live) {
      return cached(forward, dataset, live, geometry);
    };
  };
  taps.compare_read(
      forward, keys_state, "attention.keys",
      [&](const LiveTokens& live) {
        Rows<Bounded> keys = recorded(forward, module + ".k_norm/out", live, geometry.key_value_heads);
        rotate(keys, geometry.key_value_heads, forward.coordinates(live), context);
        return grown(step, keys_state, live, geometry, reshaped(std::move(keys), live.count));
      },
      stored_rows(keys_state));
  taps.compare_read(
      forward, values_state, "attention.values",
      [&](const LiveTokens& live) {
        return grown(step, values_state, live, geometry, projected(weights.value, live));
      },
      stored_rows(values_state));
  taps.compare(forward, module + "/out", "attention.out", 1, [&](const LiveTokens& live) {
    Rows<Bounded> queries = recorded(forward, module + ".q_norm/out", live, geometry.heads);
    rotate(queries, geometry.heads, forward.coordinates(live), context);
    queries = reshaped(std::move(queries), live.count);
    const Rows<Bounded> keys = exact_rows(cached(forward, keys_state, live, geometry));
    const Rows<Bounded> values = exact_rows(cached(forward, values_state, live, geometry));
    const Rows<Bounded> query_and_gate = projected(weights.query_and_gate, live);
    const Rows<double> added = recorded_mask(forward, mask, live);
    Rows<Bounded> attended(live.count, geometry.heads * dim);
    for (std::int64_t t = 0; t < live.count; ++t) {
      sparse_attention<Bounded>(queries.row(t), keys, values, selected_tokens(added, t, live), geometry,
                                context.arithmetic, attended.row(t));
      std::vector<Bounded> gate;
      for (std::int64_t head = 0; head < geometry.heads; ++head) {
        const auto part = query_and_gate.part(t, (2 * head + 1) * dim, dim);
        gate.insert(gate.end(), part.begin(), part.end());
      }
      apply_output_gate<Bounded>(gate, context.arithmetic, attended.row(t));
    }
    return linear_layer(attended, weights.out, context.arithmetic);
  });
}

}  // namespace plumbline

#include "reference/model/qwen4_exp.h"

#include "fixtures/error.h"
#include "reference/model/linear_layer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

void observe(const ForwardOptions& options, std::int64_t layer, const char* suffix,
             const Rows<double>& value) {
  if (options.observe) options.observe(fmt::format("model.layers.{}{}", layer, suffix), value);
}

}  // namespace

Qwen4Exp::Qwen4Exp(ModelConfig config, ModelWeights weights, const RoundingProfile& profile)
    : config_(std::move(config)),
      weights_(std::move(weights)),
      arithmetic_(profile, config_.indexer.storage) {
  for (const LayerWeights& layer : weights_.layers) {
    attention_.push_back(layer.attention ? std::make_unique<QsaLayer>(config_, *layer.attention,
                                                                      weights_.inverse_frequencies, profile)
                                         : nullptr);
  }
}

ModelCache Qwen4Exp::new_cache() const {
  ModelCache cache;
  for (const LayerWeights& weights : weights_.layers) {
    LayerState state;
    if (weights.ple) state.ple.emplace(*weights.ple);
    if (weights.delta_net) state.delta_net.emplace(*weights.delta_net);
    if (weights.attention) state.attention = attention_[cache.layers.size()]->new_state<double>();
    cache.layers.push_back(std::move(state));
  }
  return cache;
}

void Qwen4Exp::run_layer(std::int64_t layer, std::span<const std::int64_t> tokens,
                         std::span<const Coordinates> coordinates, std::int64_t earlier, LayerState& state,
                         const ForwardOptions& options, Rows<double>& streams) const {
  const LayerWeights& weights = weights_.layers[static_cast<std::size_t>(layer)];
  observe(options, layer, "/in", streams);
  if (weights.ple) {
    const Rows<double> embedding = ngram_embedding<double>(tokens, *weights.ple, state.ple->context);
    const Rows<double> added =
        ple_layer(streams, embedding, *weights.ple, arithmetic_, state.ple->convolution, &state.ple->earlier);
    observe(options, layer, ".ple/out", added);
    for (std::size_t i = 0; i < streams.numbers.size(); ++i) {
      streams.numbers[i] = arithmetic_.stored(streams.numbers[i] + added.numbers[i]);
    }
  }
  const MixedStreams<double> before = mix_streams(streams, weights.attention_residual, arithmetic_);
  Rows<double> mixed;
  if (weights.delta_net) {
    const bool single = options.delta_rule == DeltaRuleForm::chunked && streams.rows == 1 && earlier > 0;
    mixed = gated_delta_net(before.input, *weights.delta_net,
                            single ? DeltaRuleForm::recurrent : options.delta_rule, arithmetic_,
                            *state.delta_net);
    observe(options, layer, ".linear_attn/out", mixed);
  } else {
    QsaLayer::Choice choice;
    if (options.choose_blocks) {
      choice = [&](std::int64_t row, const std::vector<std::int32_t>& canonical,
                   const QsaLayer::SameScore& same_score) {
        return options.choose_blocks(layer, row, canonical, same_score);
      };
    }
    mixed = attention_[static_cast<std::size_t>(layer)]->forward(before.input, coordinates, arithmetic_,
                                                                 *state.attention, choice);
    observe(options, layer, ".self_attn/out", mixed);
  }
  inject_into_streams(mixed, before.injection, arithmetic_, streams);
  const MixedStreams<double> after = mix_streams(streams, weights.mlp_residual, arithmetic_);
  const Rows<double> expert_output =
      mixture_of_experts(after.input, options.expert_sum, weights.experts, arithmetic_);
  observe(options, layer, ".mlp/out", expert_output);
  inject_into_streams(expert_output, after.injection, arithmetic_, streams);
  observe(options, layer, "/out", streams);
}

Rows<double> Qwen4Exp::forward(std::span<const std::int64_t> tokens, std::span<const Coordinates> coordinates,
                               ModelCache& cache, const ForwardOptions& options) const {
  if (tokens.size() != coordinates.size())
    throw InputError(fmt::format("expected {} coordinates, found {}", tokens.size(), coordinates.size()));
  const std::int64_t hidden = config_.indexer.hidden_size;
  Rows<double> streams(static_cast<std::int64_t>(tokens.size()), config_.streams * hidden);
  for (std::int64_t t = 0; t < streams.rows; ++t) {
    const std::int64_t token = tokens[static_cast<std::size_t>(t)];
    if (token < 0 || token >= config_.vocab_size) {
      throw InputError(fmt::format("expected a token in [0, {}), found {}", config_.vocab_size, token));
    }
    for (std::int64_t stream = 0; stream < config_.streams; ++stream) {
      std::copy_n(weights_.embedding.begin() + token * hidden, hidden,
                  streams.part(t, stream * hidden, hidden).begin());
    }
  }
  if (streams.rows == 0) return Rows<double>(0, config_.vocab_size);
  if (cache.delta_rule.value_or(options.delta_rule) != options.delta_rule)
    throw InputError("expected the form of the delta rule that the cache was made with, found another one");
  cache.delta_rule = options.delta_rule;
  for (std::int64_t layer = 0; layer < config_.layers(); ++layer) {
    run_layer(layer, tokens, coordinates, cache.tokens, cache.layers[static_cast<std::size_t>(layer)],
              options, streams);
  }
  cache.tokens += streams.rows;
  cache.ids.insert(cache.ids.end(), tokens.begin(), tokens.end());
  cache.coordinates.insert(cache.coordinates.end(), coordinates.begin(), coordinates.end());
  cache.calls.push_back(streams.rows);
  return linear_layer(mix_streams(streams, weights_.final_mixer, arithmetic_).input, weights_.head,
                      arithmetic_);
}

namespace {

/// The calls that the first `tokens` tokens came in.
std::vector<std::int64_t> first_calls(const std::vector<std::int64_t>& calls, std::int64_t tokens) {
  std::vector<std::int64_t> kept;
  for (const std::int64_t call : calls) {
    if (tokens == 0) break;
    kept.push_back(std::min(call, tokens));
    tokens -= kept.back();
  }
  return kept;
}

bool can_take_back(const LayerState& layer, std::int64_t tokens) {
  if (layer.ple && layer.ple->earlier.rows < tokens) return false;
  return !layer.delta_net || can_take_back(*layer.delta_net, tokens);
}

}  // namespace

void Qwen4Exp::cut(ModelCache& cache, std::int64_t tokens) const {
  const std::int64_t dropped = cache.tokens - tokens;
  for (LayerState& layer : cache.layers) {
    if (layer.delta_net) take_back(*layer.delta_net, dropped, arithmetic_);
    if (layer.attention) layer.attention->truncate(tokens);
    if (!layer.ple) continue;
    take_back(layer.ple->earlier, layer.ple->convolution, dropped);
    // The last ids of the sequence; before its start stands what a new state holds there.
    std::vector<std::int64_t>& context = layer.ple->context;
    std::vector<std::int64_t> ids(context.size(), config_.end_of_sequence);
    ids.insert(ids.end(), cache.ids.begin(), cache.ids.begin() + tokens);
    std::copy(ids.end() - static_cast<std::ptrdiff_t>(context.size()), ids.end(), context.begin());
  }
  cache.calls = first_calls(cache.calls, tokens);
  cache.ids.resize(static_cast<std::size_t>(tokens));
  cache.coordinates.resize(static_cast<std::size_t>(tokens));
  cache.tokens = tokens;
  if (tokens == 0) cache.delta_rule.reset();
}

void Qwen4Exp::roll_back(ModelCache& cache, std::int64_t tokens, const ForwardOptions& options) const {
  if (tokens < 0 || tokens > cache.tokens)
    throw InputError(fmt::format("expected to keep 0 to {} tokens, found {}", cache.tokens, tokens));
  if (tokens == cache.tokens) return;
  const std::int64_t dropped = cache.tokens - tokens;
  if (std::ranges::all_of(cache.layers,
                          [&](const LayerState& layer) { return can_take_back(layer, dropped); })) {
    return cut(cache, tokens);
  }
  ModelCache again = new_cache();
  std::size_t first = 0;
  for (const std::int64_t call : first_calls(cache.calls, tokens)) {
    const auto count = static_cast<std::size_t>(call);
    forward(std::span(cache.ids).subspan(first, count), std::span(cache.coordinates).subspan(first, count),
            again, options);
    first += count;
  }
  cache = std::move(again);
}

}  // namespace plumbline

#include "oracle/replay/tap_sizes.h"

#include "fixtures/error.h"
#include "oracle/replay/tap_collector.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

struct Known {
  const char* ending;
  TapSize size;
};

/// What a name that speaks of one layer ends in, longer endings before those they contain.
std::vector<Known> known_of_layer(const ModelConfig& c, std::int64_t cached) {
  const std::int64_t hidden = c.indexer.hidden_size, all = c.streams * hidden;
  const std::int64_t values = c.gdn_value_heads * c.gdn_value_dim;
  const std::int64_t channels = 2 * c.gdn_key_heads * c.gdn_key_dim + values;
  const std::int64_t keys = c.attention.key_value_heads * c.attention.head_dim;
  const SelectGeometry& index = c.indexer.geometry;
  const auto token = [](std::int64_t numbers) { return TapSize{TapSize::Per::token, numbers}; };
  const auto sequence = [](std::int64_t numbers) { return TapSize{TapSize::Per::sequence, numbers}; };
  return {
      {"_hyper_connection/out", token(hidden)},
      {"_hyper_connection/out.1", token(all)},
      {"_hyper_connection/out.2", token(c.streams)},
      {".linear_attn/out", token(hidden)},
      {".linear_attn.in_proj_qkv/out", token(channels)},
      {".linear_attn.norm/in", token(values)},
      {".linear_attn.norm/out", token(values)},
      {".mlp/in", token(hidden)},
      {".mlp/out", token(hidden)},
      {".mlp.experts/out", token(hidden)},
      {".mlp.shared_expert/out", token(hidden)},
      {".mlp.gate/out", token(c.experts)},
      {".mlp.gate/out.1", token(c.experts_per_token)},
      {".mlp.gate/out.2", token(c.experts_per_token)},
      {".ple/out", token(all)},
      {".ple.ple_embedding/out", token(c.ple_width)},
      {".self_attn/out", token(hidden)},
      {".self_attn/out.1", token(c.attention.heads * cached)},
      {".self_attn.q_norm/out", token(c.attention.heads * c.attention.head_dim)},
      {".self_attn.k_norm/out", token(keys)},
      {".self_attn.indexer/in", token(hidden)},
      {".self_attn.indexer/out", token(cached)},
      {".self_attn.indexer.index_qk_proj/out", token((index.index_heads + 1) * index.index_head_dim)},
      {".self_attn.indexer.q_layernorm/out", token(index.index_heads * index.index_head_dim)},
      {"/conv_states.0", sequence(channels * c.gdn_taps)},
      {"/conv_states.1", sequence(all * (c.ple_taps - 1) * c.ngram_size)},
      {"/conv_states.2", sequence(c.ngram_size - 1)},
      {"/recurrent_states.0", sequence(values * c.gdn_key_dim)},
      {"/keys", sequence(keys * cached)},
      {"/values", sequence(keys * cached)},
      {"/indexer_keys", sequence(index.index_head_dim * cached)},
  };
}

}  // namespace

std::optional<TapSize> tap_size(const ModelConfig& config, const std::string& dataset, std::int64_t cached) {
  const std::int64_t hidden = config.indexer.hidden_size;
  if (dataset == "logits") return TapSize{TapSize::Per::token, config.vocab_size};
  if (dataset == "taps/model.hyper_connection_mixer/out") return TapSize{TapSize::Per::token, hidden};
  const std::optional<std::int64_t> layer = layer_of_tap(dataset);
  if (!layer || *layer < 0 || *layer >= config.layers()) return {};
  for (const char* side : {"/in", "/out"}) {
    if (dataset == fmt::format("taps/model.layers.{}{}", *layer, side))
      return TapSize{TapSize::Per::token, config.streams * hidden};
  }
  for (const Known& known : known_of_layer(config, cached))
    if (dataset.ends_with(known.ending)) return known.size;
  return {};
}

std::vector<std::string> check_tap_sizes(const ModelCapture& capture, const ModelCapture::Forward& forward,
                                         const ModelConfig& config) {
  std::vector<std::string> datasets, unknown;
  for (const char* group : {"taps", "state"}) {
    for (const std::string& name : capture.list(forward, group)) datasets.push_back(name);
  }
  if (capture.has(forward, "logits")) datasets.emplace_back("logits");
  for (const std::string& dataset : datasets) {
    const std::optional<TapSize> size = tap_size(config, dataset, forward.position + forward.tokens);
    if (!size) {
      unknown.push_back(tap_name(dataset));
      continue;
    }
    const std::int64_t rows = forward.batch * (size->per == TapSize::Per::token ? forward.tokens : 1);
    const Shape shape = capture.shape(forward, dataset);
    if (element_count(shape) != rows * size->numbers) {
      throw InputError(capture.info().path, "/forward/" + forward.name + "/" + dataset,
                       fmt::format("{} numbers a {}", size->numbers,
                                   size->per == TapSize::Per::token ? "token" : "sequence"),
                       to_string(shape));
    }
  }
  return unknown;
}

}  // namespace plumbline

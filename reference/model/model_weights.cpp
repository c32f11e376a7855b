#include "reference/model/model_weights.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

/// Reads parameters below one module path.
class Parameters {
 public:
  Parameters(const WeightSource& source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}

  std::vector<float> floats(const std::string& name, const Shape& shape) const {
    const Tensor tensor = checked(name, shape);
    if (!is_floating(tensor.dtype)) refuse(name, "a floating type", std::string(name_of(tensor.dtype)));
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          static_cast<float>(decode_element(tensor.dtype, tensor.bytes.data() + i * size_of(tensor.dtype)));
    }
    return values;
  }
  std::vector<double> doubles(const std::string& name, const Shape& shape) const {
    const std::vector<float> values = floats(name, shape);
    return {values.begin(), values.end()};
  }
  LinearWeight linear(const std::string& name, std::int64_t outputs, std::int64_t inner) const {
    return {floats(name, {outputs, inner}), outputs, inner};
  }
  void expect_integers(const std::string& name, const std::vector<std::int64_t>& expected) const {
    if (!source_.has(prefix_ + name)) return;
    const Tensor tensor = checked(name, {static_cast<std::int64_t>(expected.size())});
    if (tensor.dtype != DType::int64) refuse(name, "i64", std::string(name_of(tensor.dtype)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (tensor.as<std::int64_t>()[i] != expected[i]) {
        refuse(name, fmt::format("the config's n-gram constant {} at {}", expected[i], i),
               std::to_string(tensor.as<std::int64_t>()[i]));
      }
    }
  }
  Parameters below(const std::string& module) const { return {source_, prefix_ + module + "."}; }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& expected,
                           const std::string& found) const {
    throw InputError(source_.file, "/weights/" + prefix_ + name, expected, found);
  }
  Tensor checked(const std::string& name, const Shape& shape) const {
    Tensor tensor = source_.tensor(prefix_ + name);
    if (tensor.shape != shape) refuse(name, "shape " + to_string(shape), to_string(tensor.shape));
    return tensor;
  }

  const WeightSource& source_;
  std::string prefix_;
};

GatedResidualWeights gated_residual(const ModelConfig& c, const Parameters& p, bool injects) {
  const std::int64_t width = c.streams * c.indexer.hidden_size;
  return {c.streams,
          c.indexer.norm_epsilon,
          p.doubles("hc_norm.weight", {width}),
          p.linear("input_mix_weight_down.weight", c.stream_rank, width),
          p.linear("input_mix_weight_up.weight", width, c.stream_rank),
          injects ? std::optional(p.linear("block_inject_weight.weight", c.streams, width)) : std::nullopt};
}

GatedDeltaNetWeights delta_net(const ModelConfig& c, const Parameters& p) {
  const std::int64_t hidden = c.indexer.hidden_size, values = c.gdn_value_heads * c.gdn_value_dim;
  const std::int64_t channels = 2 * c.gdn_key_heads * c.gdn_key_dim + values;
  return {c.gdn_key_heads,
          c.gdn_value_heads,
          c.gdn_key_dim,
          c.gdn_value_dim,
          c.indexer.norm_epsilon,
          c.gdn_output_gate,
          p.linear("in_proj_qkv.weight", channels, hidden),
          p.linear("in_proj_z.weight", values, hidden),
          p.linear("in_proj_b.weight", c.gdn_value_heads, hidden),
          p.linear("in_proj_a.weight", c.gdn_value_heads, hidden),
          {c.gdn_taps, 1, p.doubles("conv1d.weight", {channels, 1, c.gdn_taps})},
          p.doubles("A_log", {c.gdn_value_heads}),
          p.doubles("dt_bias", {c.gdn_value_heads}),
          p.doubles("norm.weight", {c.gdn_value_dim}),
          p.linear("out_proj.weight", hidden, values)};
}

QsaWeights attention(const ModelConfig& c, const Parameters& p) {
  const AttentionGeometry& a = c.attention;
  const SelectGeometry& g = c.indexer.geometry;
  const std::int64_t hidden = c.indexer.hidden_size, dim = g.index_head_dim;
  return {p.linear("q_proj.weight", 2 * a.heads * a.head_dim, hidden),
          p.linear("k_proj.weight", a.key_value_heads * a.head_dim, hidden),
          p.linear("v_proj.weight", a.key_value_heads * a.head_dim, hidden),
          p.linear("o_proj.weight", hidden, a.heads * a.head_dim),
          p.doubles("q_norm.weight", {a.head_dim}),
          p.doubles("k_norm.weight", {a.head_dim}),
          p.linear("indexer.index_qk_proj.weight", (g.index_heads + 1) * dim, hidden),
          p.doubles("indexer.q_layernorm.weight", {dim}),
          p.doubles("indexer.k_layernorm.weight", {dim})};
}

MixtureOfExpertsWeights experts(const ModelConfig& c, const Parameters& p) {
  const std::int64_t hidden = c.indexer.hidden_size, width = c.expert_width, shared = c.shared_expert_width;
  const std::vector<float> gate_up = p.floats("experts.gate_up_proj", {c.experts, 2 * width, hidden});
  const std::vector<float> down = p.floats("experts.down_proj", {c.experts, hidden, width});
  std::vector<GatedMlpWeights> all;
  for (std::int64_t e = 0; e < c.experts; ++e) {
    const auto half = static_cast<std::size_t>(width * hidden);
    const std::span<const float> own =
        std::span(gate_up).subspan(static_cast<std::size_t>(e) * 2 * half, 2 * half);
    all.push_back(
        {LinearWeight(own.first(half), width, hidden), LinearWeight(own.last(half), width, hidden),
         LinearWeight(std::span(down).subspan(static_cast<std::size_t>(e) * half, half), hidden, width)});
  }
  return {c.experts_per_token,
          c.renormalise_router,
          p.linear("gate.weight", c.experts, hidden),
          std::move(all),
          {p.linear("shared_expert.gate_proj.weight", shared, hidden),
           p.linear("shared_expert.up_proj.weight", shared, hidden),
           p.linear("shared_expert.down_proj.weight", hidden, shared)},
          p.linear("shared_expert_gate.weight", 1, hidden)};
}

PleWeights ple(const ModelConfig& c, const Parameters& p, std::int64_t ordinal) {
  const NgramShape shape{
      c.vocab_size, c.ngram_size, c.heads_per_ngram, c.ngram_vocab_size_base, c.ngram_divisible_by,
      c.ngram_seed, ordinal};
  NgramTables tables = ngram_tables(shape);
  const std::int64_t hidden = c.indexer.hidden_size, width = c.streams * hidden;
  const std::int64_t head_width = c.ple_width / shape.heads();
  p.expect_integers("ple_embedding.layer_multipliers", tables.multipliers);
  p.expect_integers("ple_embedding.ngram_heads_vocab_sizes", tables.head_sizes);
  p.expect_integers("ple_embedding.ngram_heads_offsets", tables.head_offsets);
  std::vector<float> table =
      p.floats("ple_embedding.ngram_embedding.weight", {tables.padded_rows, head_width});
  return {shape,
          std::move(tables),
          c.end_of_sequence,
          c.streams,
          c.indexer.norm_epsilon,
          head_width,
          std::move(table),
          p.linear("key_proj.weight", width, c.ple_width),
          p.linear("value_proj.weight", hidden, c.ple_width),
          p.doubles("norm_key.weight", {width}),
          p.doubles("norm_query.weight", {width}),
          p.doubles("norm_conv.weight", {width}),
          {c.ple_taps, c.ngram_size, p.doubles("conv1d.weight", {width, 1, c.ple_taps})}};
}

}  // namespace

LayerWeights load_layer(const ModelConfig& config, const WeightSource& source, std::int64_t layer) {
  const Parameters p(source, fmt::format("model.layers.{}.", layer));
  const std::int64_t ordinal = config.ple_ordinal(layer);
  const bool sparse = config.layer_is_sparse[static_cast<std::size_t>(layer)];
  return {ordinal < 0 ? std::nullopt : std::optional(ple(config, p.below("ple"), ordinal)),
          gated_residual(config, p.below("attn_hyper_connection"), true),
          gated_residual(config, p.below("mlp_hyper_connection"), true),
          sparse ? std::nullopt : std::optional(delta_net(config, p.below("linear_attn"))),
          sparse ? std::optional(attention(config, p.below("self_attn"))) : std::nullopt,
          experts(config, p.below("mlp"))};
}

ModelWeights load_model(const ModelConfig& config, const WeightSource& source) {
  const Parameters root(source, ""), model(source, "model.");
  const std::int64_t hidden = config.indexer.hidden_size;
  std::vector<float> embedding = model.floats("embed_tokens.weight", {config.vocab_size, hidden});
  LinearWeight head = config.tied_embeddings ? LinearWeight(embedding, config.vocab_size, hidden)
                                             : root.linear("lm_head.weight", config.vocab_size, hidden);
  std::vector<LayerWeights> layers;
  for (std::int64_t layer = 0; layer < config.layers(); ++layer)
    layers.push_back(load_layer(config, source, layer));
  return {std::move(embedding), std::move(layers),
          gated_residual(config, model.below("hyper_connection_mixer"), false), std::move(head),
          model.floats("rotary_emb.inv_freq", {config.indexer.rotary_dim / 2})};
}

}  // namespace plumbline

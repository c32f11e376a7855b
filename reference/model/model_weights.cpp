#include "reference/model/model_weights.h"

#include "fixtures/error.h"
#include "reference/model/integer_view.h"
#include "reference/model/rope.h"
#include "reference/numeric/decode_row.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

// Aggregates inside aggregates are made before them: where a later member throws, g++ 12 destroys a nested
// one twice.

/// Reads parameters below one module path.
class Parameters {
 public:
  Parameters(const WeightSource& source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}

  std::vector<float> floats(const std::string& name, const Shape& shape) const {
    return decoded(floating(name, shape).view);
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
    const SharedTensor tensor = checked(name, {static_cast<std::int64_t>(expected.size())});
    if (tensor.view.dtype != DType::int64) refuse(name, "i64", std::string(name_of(tensor.view.dtype)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::int64_t value = integer_at(tensor.view, i);
      if (value != expected[i])
        refuse(name, fmt::format("the config's n-gram constant {} at {}", expected[i], i),
               std::to_string(value));
    }
  }
  /// Not decoded: for parameters of which only a part is read at a time.
  SharedTensor floating(const std::string& name, const Shape& shape) const {
    SharedTensor tensor = checked(name, shape);
    if (!is_floating(tensor.view.dtype))
      refuse(name, "a floating type", std::string(name_of(tensor.view.dtype)));
    return tensor;
  }
  static std::vector<float> decoded(const TensorView& view) {
    std::vector<float> values(static_cast<std::size_t>(element_count(view.shape)));
    decode_row(view.dtype, view.data, 1, values);
    return values;
  }
  bool has(const std::string& name) const { return source_.has(prefix_ + name); }
  Parameters below(const std::string& module) const { return {source_, prefix_ + module + "."}; }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& expected,
                           const std::string& found) const {
    throw InputError(source_.file, "/weights/" + prefix_ + name, expected, found);
  }
  SharedTensor checked(const std::string& name, const Shape& shape) const {
    SharedTensor tensor;
    if (source_.shared) {
      tensor = source_.shared(prefix_ + name);
    } else {
      const auto own = std::make_shared<const Tensor>(source_.tensor(prefix_ + name));
      tensor = {own->view(), own};
    }
    if (tensor.view.shape != shape) refuse(name, "shape " + to_string(shape), to_string(tensor.view.shape));
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
  ConvolutionWeights convolution{c.gdn_taps, 1, p.doubles("conv1d.weight", {channels, 1, c.gdn_taps})};
  return {c.gdn_key_heads,
          c.gdn_value_heads,
          c.gdn_key_dim,
          c.gdn_value_dim,
          c.indexer.norm_epsilon,
          c.activation,
          c.gdn_output_gate,
          p.linear("in_proj_qkv.weight", channels, hidden),
          p.linear("in_proj_z.weight", values, hidden),
          p.linear("in_proj_b.weight", c.gdn_value_heads, hidden),
          p.linear("in_proj_a.weight", c.gdn_value_heads, hidden),
          std::move(convolution),
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
  const SharedTensor gate_up = p.floating("experts.gate_up_proj", {c.experts, 2 * width, hidden}),
                     down = p.floating("experts.down_proj", {c.experts, hidden, width});
  const auto matrix = [](const SharedTensor& all, std::int64_t expert, std::int64_t first,
                         std::int64_t outputs, std::int64_t inner) {
    TensorView view = all.view;
    view.data = view.at(expert, first);
    view.shape = {outputs, inner};
    return LinearWeight(Parameters::decoded(view), outputs, inner);
  };
  std::vector<GatedMlpWeights> all;
  for (std::int64_t e = 0; e < c.experts; ++e) {
    all.push_back({matrix(gate_up, e, 0, width, hidden), matrix(gate_up, e, width, width, hidden),
                   matrix(down, e, 0, hidden, width)});
  }
  GatedMlpWeights shared_expert{p.linear("shared_expert.gate_proj.weight", shared, hidden),
                                p.linear("shared_expert.up_proj.weight", shared, hidden),
                                p.linear("shared_expert.down_proj.weight", hidden, shared)};
  return {c.experts_per_token,
          c.renormalise_router,
          c.activation,
          p.linear("gate.weight", c.experts, hidden),
          std::move(all),
          std::move(shared_expert),
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
  SharedTensor table = p.floating("ple_embedding.ngram_embedding.weight", {tables.padded_rows, head_width});
  ConvolutionWeights convolution{c.ple_taps, c.ngram_size,
                                 p.doubles("conv1d.weight", {width, 1, c.ple_taps})};
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
          std::move(convolution)};
}

/// As recorded; checkpoints leave them out.
std::vector<float> inverse_frequencies(const ModelConfig& c, const Parameters& model) {
  const std::int64_t dim = c.indexer.rotary_dim;
  if (model.has("rotary_emb.inv_freq")) return model.floats("rotary_emb.inv_freq", {dim / 2});
  const auto ours =
      default_frequencies<double>(c.indexer.rope_theta, dim, c.indexer.sections,
                                  BasicEngineArithmetic<double>(hf_cpu_profile(), DType::float32));
  std::vector<float> frequencies;
  for (const double frequency : ours.per_pair) frequencies.push_back(static_cast<float>(frequency));
  return frequencies;
}

}  // namespace

LayerWeights load_layer(const ModelConfig& config, const WeightSource& source, std::int64_t layer) {
  const Parameters p(source, fmt::format("model.layers.{}.", layer));
  const std::int64_t ordinal = config.ple_ordinal(layer);
  const bool sparse = config.layer_is_sparse[static_cast<std::size_t>(layer)];
  std::optional<PleWeights> embedding;
  if (ordinal >= 0) embedding = ple(config, p.below("ple"), ordinal);
  GatedResidualWeights before = gated_residual(config, p.below("attn_hyper_connection"), true),
                       after = gated_residual(config, p.below("mlp_hyper_connection"), true);
  std::optional<GatedDeltaNetWeights> recurrent;
  if (!sparse) recurrent = delta_net(config, p.below("linear_attn"));
  std::optional<QsaWeights> attending;
  if (sparse) attending = attention(config, p.below("self_attn"));
  MixtureOfExpertsWeights mixture = experts(config, p.below("mlp"));
  return {std::move(embedding), std::move(before),    std::move(after),
          std::move(recurrent), std::move(attending), std::move(mixture)};
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
  GatedResidualWeights mixer = gated_residual(config, model.below("hyper_connection_mixer"), false);
  return {std::move(embedding), std::move(layers), std::move(mixer), std::move(head),
          inverse_frequencies(config, model)};
}

}  // namespace plumbline

#pragma once

#include "fixtures/small_float.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/ngram_hash.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plumbline {

/// A small model of every kind of layer: delta nets, PLE on the second, sparse attention on the fourth.
inline nlohmann::json tiny_config(const std::string& dtype) {
  return {{"dtype", dtype},
          {"eos_token_id", 2},
          {"vocab_size", 151},
          {"hidden_size", 32},
          {"hidden_act", "silu"},
          {"hc_count", 4},
          {"hc_lowrank", 8},
          {"rms_norm_eps", 1e-6},
          {"layer_types", {"linear_attention", "linear_attention", "linear_attention", "full_attention"}},
          {"num_attention_heads", 4},
          {"num_key_value_heads", 2},
          {"head_dim", 16},
          {"attention_bias", false},
          {"rope_parameters",
           {{"rope_type", "default"},
            {"rope_theta", 1e4},
            {"partial_rotary_factor", 0.5},
            {"mrope_interleaved", true},
            {"mrope_section", {2, 1, 1}}}},
          {"indexer_n_heads", 2},
          {"indexer_kv_heads", 1},
          {"indexer_head_dim", 16},
          {"indexer_budget", 8},
          {"indexer_compress_ratio", 4},
          {"linear_num_key_heads", 2},
          {"linear_num_value_heads", 4},
          {"linear_key_head_dim", 8},
          {"linear_value_head_dim", 8},
          {"linear_conv_kernel_dim", 4},
          {"output_gate_type", "sigmoid"},
          {"num_experts", 4},
          {"num_experts_per_tok", 2},
          {"moe_intermediate_size", 8},
          {"shared_expert_intermediate_size", 8},
          {"norm_topk_prob", true},
          {"ple_layer_ids", {2}},
          {"ple_embed_dim", 32},
          {"ple_conv_kernel_size", 4},
          {"ngram_size", 3},
          {"heads_per_ngram", 2},
          {"ngram_vocab_size_base", 97},
          {"make_ngram_vocab_size_divisible_by", 8},
          {"seed", 1234},
          {"tie_word_embeddings", false}};
}

/// Parameters by Hugging Face name.
using NamedTensors = std::map<std::string, Tensor>;

/// Numbers of a written generator, spread evenly over ±`reach` and rounded to `type`.
inline Tensor random_tensor(DType type, const Shape& shape, std::uint64_t seed, double reach,
                            double middle = 0) {
  Tensor tensor(type, shape);
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    std::uint64_t z = seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(i + 1) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    const double unit = static_cast<double>(z >> 11) * 0x1p-52 - 1;
    encode_element(type, middle + reach * unit,
                   tensor.bytes.data() + static_cast<std::size_t>(i) * size_of(type));
  }
  return tensor;
}

/// Every parameter of the config's model (MODEL.md §1.1).
inline NamedTensors random_parameters(const ModelConfig& c) {
  NamedTensors all;
  std::uint64_t seed = 1;
  const DType type = c.indexer.storage;
  const auto add = [&](const std::string& name, const Shape& shape, double reach, double middle = 0) {
    all.emplace(name, random_tensor(type, shape, seed++, reach, middle));
  };
  const std::int64_t hidden = c.indexer.hidden_size, width = c.streams * hidden;
  const auto matrix = [&](const std::string& name, const Shape& shape) {
    add(name + ".weight", shape, 1.7 / std::sqrt(static_cast<double>(shape.back())));
  };
  const auto residual = [&](const std::string& at, bool injects) {
    add(at + "hc_norm.weight", {width}, 0.3);
    matrix(at + "input_mix_weight_down", {c.stream_rank, width});
    matrix(at + "input_mix_weight_up", {width, c.stream_rank});
    if (injects) matrix(at + "block_inject_weight", {c.streams, width});
  };
  add("model.embed_tokens.weight", {c.vocab_size, hidden}, 1);
  if (!c.tied_embeddings) matrix("lm_head", {c.vocab_size, hidden});
  residual("model.hyper_connection_mixer.", false);
  Tensor frequencies(DType::float32, {c.indexer.rotary_dim / 2});
  for (std::int64_t i = 0; i < c.indexer.rotary_dim / 2; ++i)
    frequencies.as<float>()[static_cast<std::size_t>(i)] = std::ldexp(1.0F, -2 * static_cast<int>(i));
  all.emplace("model.rotary_emb.inv_freq", frequencies);
  for (std::int64_t layer = 0; layer < c.layers(); ++layer) {
    const std::string at = fmt::format("model.layers.{}.", layer);
    residual(at + "attn_hyper_connection.", true);
    residual(at + "mlp_hyper_connection.", true);
    if (c.layer_is_sparse[static_cast<std::size_t>(layer)]) {
      const std::int64_t kv = c.attention.key_value_heads * c.attention.head_dim,
                         q = c.attention.heads * c.attention.head_dim,
                         index = c.indexer.geometry.index_head_dim;
      matrix(at + "self_attn.q_proj", {2 * q, hidden});
      matrix(at + "self_attn.k_proj", {kv, hidden});
      matrix(at + "self_attn.v_proj", {kv, hidden});
      matrix(at + "self_attn.o_proj", {hidden, q});
      add(at + "self_attn.q_norm.weight", {c.attention.head_dim}, 0.3);
      add(at + "self_attn.k_norm.weight", {c.attention.head_dim}, 0.3);
      matrix(at + "self_attn.indexer.index_qk_proj", {(c.indexer.geometry.index_heads + 1) * index, hidden});
      add(at + "self_attn.indexer.q_layernorm.weight", {index}, 0.3);
      add(at + "self_attn.indexer.k_layernorm.weight", {index}, 0.3);
    } else {
      const std::int64_t values = c.gdn_value_heads * c.gdn_value_dim,
                         channels = 2 * c.gdn_key_heads * c.gdn_key_dim + values;
      matrix(at + "linear_attn.in_proj_qkv", {channels, hidden});
      matrix(at + "linear_attn.in_proj_z", {values, hidden});
      matrix(at + "linear_attn.in_proj_b", {c.gdn_value_heads, hidden});
      matrix(at + "linear_attn.in_proj_a", {c.gdn_value_heads, hidden});
      add(at + "linear_attn.conv1d.weight", {channels, 1, c.gdn_taps}, 0.8);
      add(at + "linear_attn.A_log", {c.gdn_value_heads}, 1);
      add(at + "linear_attn.dt_bias", {c.gdn_value_heads}, 1, -2);
      add(at + "linear_attn.norm.weight", {c.gdn_value_dim}, 0.3, 1);
      matrix(at + "linear_attn.out_proj", {hidden, values});
    }
    matrix(at + "mlp.gate", {c.experts, hidden});
    add(at + "mlp.experts.gate_up_proj", {c.experts, 2 * c.expert_width, hidden}, 0.3);
    add(at + "mlp.experts.down_proj", {c.experts, hidden, c.expert_width}, 0.6);
    matrix(at + "mlp.shared_expert.gate_proj", {c.shared_expert_width, hidden});
    matrix(at + "mlp.shared_expert.up_proj", {c.shared_expert_width, hidden});
    matrix(at + "mlp.shared_expert.down_proj", {hidden, c.shared_expert_width});
    matrix(at + "mlp.shared_expert_gate", {1, hidden});
    const std::int64_t ordinal = c.ple_ordinal(layer);
    if (ordinal < 0) continue;
    const NgramShape shape{
        c.vocab_size, c.ngram_size, c.heads_per_ngram, c.ngram_vocab_size_base, c.ngram_divisible_by,
        c.ngram_seed, ordinal};
    add(at + "ple.ple_embedding.ngram_embedding.weight",
        {ngram_tables(shape).padded_rows, c.ple_width / shape.heads()}, 1);
    matrix(at + "ple.key_proj", {width, c.ple_width});
    matrix(at + "ple.value_proj", {hidden, c.ple_width});
    for (const char* norm : {"norm_key", "norm_query", "norm_conv"})
      add(at + "ple." + norm + ".weight", {width}, 0.3);
    add(at + "ple.conv1d.weight", {width, 1, c.ple_taps}, 0.8);
  }
  return all;
}

/// `tensors` must outlive the source.
inline WeightSource source_of(const NamedTensors& tensors) {
  return {"tiny model",
          [&tensors](const std::string& name) {
            const auto found = tensors.find(name);
            if (found == tensors.end()) throw std::out_of_range(name);
            return found->second;
          },
          [&tensors](const std::string& name) { return tensors.contains(name); }};
}

}  // namespace plumbline

#pragma once

#include "reference/model/gated_delta_net.h"
#include "reference/model/indexer_config.h"
#include "reference/model/sparse_attention.h"

#include <string>
#include <vector>

namespace plumbline {

/// A Qwen4-Exp text model's shape (MODEL.md §1), from its config.
struct ModelConfig {
  IndexerConfig indexer;  ///< also: storage type, hidden size, epsilon, RoPE
  std::int64_t vocab_size = 0;
  std::int64_t streams = 4;      ///< hc_count
  std::int64_t stream_rank = 0;  ///< hc_lowrank
  std::vector<bool> layer_is_sparse;
  AttentionGeometry attention;

  std::int64_t gdn_key_heads = 0, gdn_value_heads = 0, gdn_key_dim = 0, gdn_value_dim = 0, gdn_taps = 0;
  Activation activation = Activation::silu;  ///< hidden_act: experts, and behind the GDN convolution
  Activation gdn_output_gate = Activation::silu;

  std::int64_t experts = 0, experts_per_token = 0, expert_width = 0, shared_expert_width = 0;
  bool renormalise_router = true;

  std::vector<std::int64_t> ple_layers;  ///< 0-based; the config counts from 1
  std::int64_t ple_width = 0, ple_taps = 0, ngram_size = 0, heads_per_ngram = 0, ngram_vocab_size_base = 0,
               ngram_divisible_by = 1, ngram_seed = 0;
  std::int64_t end_of_sequence = 0;  ///< the first of "eos_token_id" where that is a list
  bool tied_embeddings = false;

  std::int64_t layers() const { return static_cast<std::int64_t>(layer_is_sparse.size()); }
  /// −1 for a layer without PLE, else its ordinal among the PLE layers.
  std::int64_t ple_ordinal(std::int64_t layer) const;
};

/// Throws InputError that names the field. Attention with bias is refused.
ModelConfig parse_model_config(const std::string& json, const std::string& file);

}  // namespace plumbline

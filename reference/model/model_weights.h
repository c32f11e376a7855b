#pragma once

#include "fixtures/checkpoint/safetensors.h"
#include "fixtures/tensor.h"
#include "reference/model/gated_delta_net.h"
#include "reference/model/gated_residual.h"
#include "reference/model/mixture_of_experts.h"
#include "reference/model/model_config.h"
#include "reference/model/ple_layer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// Weights of one QSA attention layer (MODEL.md §1.1). Query and gate are interleaved per head in q_proj.
struct QsaWeights {
  LinearWeight query_and_gate;               ///< [heads·2·head_dim, hidden]
  LinearWeight key, value;                   ///< [key_value_heads·head_dim, hidden]
  LinearWeight out;                          ///< [hidden, heads·head_dim]
  std::vector<double> query_norm, key_norm;  ///< [head_dim], applied as 1 + w
  LinearWeight index;                        ///< [(index_heads + 1)·index_head_dim, hidden]
  std::vector<double> index_query_norm, index_key_norm;
};

struct LayerWeights {
  std::optional<PleWeights> ple;
  GatedResidualWeights attention_residual, mlp_residual;
  std::optional<GatedDeltaNetWeights> delta_net;  ///< exactly one of these two
  std::optional<QsaWeights> attention;
  MixtureOfExpertsWeights experts;
};

/// Where parameters come from, by Hugging Face name: a capture, or a checkpoint's shards. `tensor` throws
/// InputError when there is none of that name.
struct WeightSource {
  std::string file;
  std::function<Tensor(const std::string& name)> tensor;
  std::function<bool(const std::string& name)> has;
  /// Where tensors can be had without a copy; `tensor` is not called then.
  std::function<SharedTensor(const std::string& name)> shared = {};
};

struct ModelWeights {
  std::vector<float> embedding;  ///< [vocab, hidden]
  std::vector<LayerWeights> layers;
  GatedResidualWeights final_mixer;
  LinearWeight head;                       ///< [vocab, hidden]; the embedding where tied
  std::vector<float> inverse_frequencies;  ///< as the engine held them; the config's where none are given
};

/// One layer's parameters, or all. Throws InputError for a missing parameter, a shape that does not fit the
/// config, or n-gram constants that are not those of the config.
LayerWeights load_layer(const ModelConfig& config, const WeightSource& source, std::int64_t layer);
ModelWeights load_model(const ModelConfig& config, const WeightSource& source);

}  // namespace plumbline

#pragma once

#include "fixtures/dtype.h"
#include "fixtures/subject.h"
#include "reference/model/mrope.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// What the QSA indexer needs of a model's text config (MODEL.md §1).
struct IndexerConfig {
  SelectGeometry geometry;
  DType storage = DType::bfloat16;
  std::int64_t hidden_size = 0;
  double norm_epsilon = 1e-6;
  double rope_theta = 1e7;
  /// Rotary width of the index heads: the attention heads' head_dim · partial_rotary_factor, not
  /// index_head_dim's.
  std::int64_t rotary_dim = 64;
  MropeSections sections{};
  std::vector<std::int64_t>
      sparse_layers;  ///< 0-based layers of type full_attention, qwen_sparse_attention or indexed_attention
};

/// Reads the config of a kind A capture. RoPE fields may stand in `rope_parameters` or at the top level.
/// Throws InputError "FILE: /config: expected …, found …" that names the field which is missing or of no use.
IndexerConfig parse_indexer_config(const std::string& json, const std::string& file);

}  // namespace plumbline

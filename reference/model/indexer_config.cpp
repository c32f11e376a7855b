#include "reference/model/indexer_config.h"

#include "reference/model/config_reader.h"

#include <fmt/format.h>

namespace plumbline {

IndexerConfig parse_indexer_config(const std::string& json, const std::string& file) {
  const ConfigReader reader(json, file);
  IndexerConfig config;
  config.storage = reader.storage();
  config.hidden_size = reader.extent("hidden_size");
  config.norm_epsilon = reader.positive("rms_norm_eps");

  SelectGeometry& geometry = config.geometry;
  geometry.index_heads = static_cast<std::int32_t>(reader.extent("indexer_n_heads"));
  geometry.index_head_dim = static_cast<std::int32_t>(reader.extent("indexer_head_dim"));
  geometry.compress_ratio = static_cast<std::int32_t>(reader.extent("indexer_compress_ratio"));
  const std::int64_t budget = reader.extent("indexer_budget");
  if (budget % geometry.compress_ratio != 0) {
    reader.fail(fmt::format("\"indexer_budget\" a multiple of \"indexer_compress_ratio\" {}",
                            geometry.compress_ratio),
                std::to_string(budget));
  }
  geometry.block_topk = static_cast<std::int32_t>(budget / geometry.compress_ratio);

  reader.require_default_rope();
  config.rope_theta = reader.rope_positive("rope_theta");
  const std::int64_t head_dim = reader.extent("head_dim");
  const double factor = reader.rope_positive("partial_rotary_factor");
  if (factor <= 1) config.rotary_dim = static_cast<std::int64_t>(static_cast<double>(head_dim) * factor);
  if (!(factor <= 1) || config.rotary_dim < 2 || config.rotary_dim % 2 != 0 ||
      config.rotary_dim > geometry.index_head_dim) {
    reader.fail(fmt::format("head_dim · partial_rotary_factor even and at most \"indexer_head_dim\" {}",
                            geometry.index_head_dim),
                fmt::format("{} · {}", head_dim, factor));
  }
  config.sections = reader.sections(config.rotary_dim / 2);
  const std::vector<bool> sparse = reader.layer_is_sparse();
  for (std::size_t layer = 0; layer < sparse.size(); ++layer) {
    if (sparse[layer]) config.sparse_layers.push_back(static_cast<std::int64_t>(layer));
  }
  return config;
}

}  // namespace plumbline

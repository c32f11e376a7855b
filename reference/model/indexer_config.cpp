#include "reference/model/indexer_config.h"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fixtures/error.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

/// Largest extent accepted for any field: far beyond every model, and products of two stay below 2^63.
constexpr std::int64_t kLargestExtent = 1 << 24;

/// Reads fields of one config, and says which one is of no use.
class ConfigReader {
 public:
  ConfigReader(const std::string& text, const std::string& file) : file_(file) {
    root_ = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!root_.is_object()) fail("a JSON object", "other text");
    if (const auto nested = root_.find("rope_parameters"); nested != root_.end()) {
      if (!nested->is_object()) fail("an object \"rope_parameters\"", nested->type_name());
      rope_ = *nested;
    }
  }

  std::int64_t extent(const char* name) const {
    const Json* value = find(root_, name);
    if (value == nullptr) missing(fmt::format("a positive integer \"{}\"", name));
    return as_extent(*value, name);
  }

  double positive(const char* name) const { return as_positive(find(root_, name), name); }

  double rope_positive(const char* name) const { return as_positive(find_rope(name), name); }

  MropeSections sections(std::int64_t pairs) const {
    const Json* value = find_rope("mrope_section");
    if (value == nullptr) return {pairs, 0, 0};  // every pair turns by time
    if (!value->is_array() || value->size() != 3) fail("three integers \"mrope_section\"", value->dump());
    const Json* interleaved = find_rope("mrope_interleaved");
    if (interleaved == nullptr || *interleaved != true) {
      fail("\"mrope_interleaved\" true", interleaved == nullptr ? "nothing" : interleaved->dump());
    }
    MropeSections sections;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Json& entry = (*value)[axis];
      if (!entry.is_number_integer() || entry < 0 || entry > pairs) {
        fail(fmt::format("\"mrope_section\" entries of 0 to {} pairs", pairs), value->dump());
      }
      sections[axis] = entry.get<std::int64_t>();
    }
    return sections;
  }

  void require_default_rope() const {
    const Json* type = find_rope("rope_type");
    if (type != nullptr && *type != "default") fail("\"rope_type\" \"default\"", type->dump());
  }

  DType storage() const {
    const Json* value = find(root_, "dtype");
    if (value == nullptr) value = find(root_, "torch_dtype");
    if (value != nullptr && *value == "bfloat16") return DType::bfloat16;
    if (value != nullptr && *value == "float16") return DType::float16;
    if (value != nullptr && *value == "float32") return DType::float32;
    fail("\"dtype\" \"bfloat16\", \"float16\" or \"float32\"", value == nullptr ? "nothing" : value->dump());
  }

  std::vector<std::int64_t> sparse_layers() const {
    const Json* types = find(root_, "layer_types");
    if (types == nullptr || !types->is_array()) {
      fail("an array \"layer_types\"", types == nullptr ? "nothing" : types->type_name());
    }
    std::vector<std::int64_t> layers;
    for (std::size_t layer = 0; layer < types->size(); ++layer) {
      const Json& type = (*types)[layer];
      if (type == "qwen_sparse_attention" || type == "full_attention") {
        layers.push_back(static_cast<std::int64_t>(layer));
      } else if (type != "linear_attention") {
        fail("\"layer_types\" of linear_attention, full_attention or qwen_sparse_attention", type.dump());
      }
    }
    return layers;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError(file_, "/config", expected, found);
  }

 private:
  [[noreturn]] void missing(const std::string& expected) const { fail(expected, "nothing"); }

  static const Json* find(const Json& object, const char* name) {
    const auto it = object.find(name);
    return it == object.end() || it->is_null() ? nullptr : &*it;
  }
  const Json* find_rope(const char* name) const {
    const Json* nested = rope_.is_object() ? find(rope_, name) : nullptr;
    return nested != nullptr ? nested : find(root_, name);
  }

  std::int64_t as_extent(const Json& value, const char* name) const {
    if (!value.is_number_integer() || value < 1 || value > kLargestExtent) {
      fail(fmt::format("\"{}\" from 1 to {}", name, kLargestExtent), value.dump());
    }
    return value.get<std::int64_t>();
  }

  double as_positive(const Json* value, const char* name) const {
    if (value == nullptr) missing(fmt::format("a positive number \"{}\"", name));
    if (!value->is_number() || !(value->get<double>() > 0) || !std::isfinite(value->get<double>())) {
      fail(fmt::format("a positive number \"{}\"", name), value->dump());
    }
    return value->get<double>();
  }

  std::string file_;
  Json root_, rope_;
};

}  // namespace

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
  config.rotary_dim = static_cast<std::int64_t>(static_cast<double>(head_dim) * factor);
  if (!(factor <= 1) || config.rotary_dim < 2 || config.rotary_dim % 2 != 0 ||
      config.rotary_dim > geometry.index_head_dim) {
    reader.fail(fmt::format("head_dim · partial_rotary_factor even and at most \"indexer_head_dim\" {}",
                            geometry.index_head_dim),
                fmt::format("{} · {}", head_dim, factor));
  }
  config.sections = reader.sections(config.rotary_dim / 2);
  config.sparse_layers = reader.sparse_layers();
  return config;
}

}  // namespace plumbline

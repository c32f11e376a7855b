#include "reference/model/config_reader.h"

#include "fixtures/checkpoint/strict_json.h"
#include "fixtures/error.h"

#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

using Json = nlohmann::json;

/// Largest extent accepted for any field: far beyond every model, and products of two stay below 2^63.
constexpr std::int64_t kLargestExtent = 1 << 24;

}  // namespace

ConfigReader::ConfigReader(const std::string& text, const std::string& file) : file_(file) {
  root_ = parse_strict_json(file, "/config", text);
  if (const auto nested = root_.find("rope_parameters"); nested != root_.end() && !nested->is_null()) {
    if (!nested->is_object()) fail("an object \"rope_parameters\"", nested->type_name());
    rope_ = *nested;
  }
}

std::int64_t ConfigReader::extent(const char* name) const {
  const Json* value = find(root_, name);
  if (value == nullptr) missing(fmt::format("a positive integer \"{}\"", name));
  return as_extent(*value, name);
}

std::int64_t ConfigReader::integer(const char* name, std::int64_t lowest, std::int64_t fallback) const {
  const Json* value = find(root_, name);
  return value == nullptr ? fallback : as_integer(*value, name, lowest);
}

std::int64_t ConfigReader::first_integer(const char* name, std::int64_t lowest, std::int64_t fallback) const {
  const Json* value = find(root_, name);
  if (value == nullptr) return fallback;
  if (!value->is_array()) return as_integer(*value, name, lowest);
  if (value->empty()) fail(fmt::format("\"{}\" an integer or a list of them", name), value->dump());
  for (const Json& entry : *value) as_integer(entry, name, lowest);
  return as_integer(value->front(), name, lowest);
}

double ConfigReader::positive(const char* name) const { return as_positive(find(root_, name), name); }

double ConfigReader::rope_positive(const char* name) const { return as_positive(find_rope(name), name); }

bool ConfigReader::flag(const char* name, bool fallback) const {
  const Json* value = find(root_, name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(fmt::format("\"{}\" true or false", name), value->dump());
  return value->get<bool>();
}

std::string ConfigReader::choice(const char* name, const std::vector<std::string_view>& allowed) const {
  const Json* value = find(root_, name);
  if (value == nullptr) return std::string(allowed.front());
  std::string known;
  for (const std::string_view word : allowed) {
    if (*value == word) return std::string(word);
    known += fmt::format("{}\"{}\"", known.empty() ? "" : " or ", word);
  }
  fail(fmt::format("\"{}\" {}", name, known), value->dump());
}

std::vector<std::int64_t> ConfigReader::extents(const char* name) const {
  const Json* value = find(root_, name);
  std::vector<std::int64_t> list;
  if (value == nullptr) return list;
  if (!value->is_array()) fail(fmt::format("an array \"{}\"", name), value->type_name());
  for (const Json& entry : *value) list.push_back(as_extent(entry, name));
  return list;
}

MropeSections ConfigReader::sections(std::int64_t pairs) const {
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

void ConfigReader::require_default_rope() const {
  const Json* type = find_rope("rope_type");
  if (type != nullptr && *type != "default") fail("\"rope_type\" \"default\"", type->dump());
}

DType ConfigReader::storage() const {
  const Json* value = find(root_, "dtype");
  if (value == nullptr) value = find(root_, "torch_dtype");
  if (value != nullptr && *value == "bfloat16") return DType::bfloat16;
  if (value != nullptr && *value == "float16") return DType::float16;
  if (value != nullptr && *value == "float32") return DType::float32;
  fail("\"dtype\" \"bfloat16\", \"float16\" or \"float32\"", value == nullptr ? "nothing" : value->dump());
}

std::vector<bool> ConfigReader::layer_is_sparse() const {
  const Json* types = find(root_, "layer_types");
  if (types == nullptr || !types->is_array()) {
    fail("an array \"layer_types\"", types == nullptr ? "nothing" : types->type_name());
  }
  // The checkpoint says full_attention, which transformers calls qwen_sparse_attention up to 5.17 at least
  // and indexed_attention by 5.24.
  std::vector<bool> sparse;
  for (const Json& type : *types) {
    const bool attends =
        type == "full_attention" || type == "qwen_sparse_attention" || type == "indexed_attention";
    if (!attends && type != "linear_attention") {
      fail("\"layer_types\" of linear_attention, full_attention, qwen_sparse_attention or indexed_attention",
           type.dump());
    }
    sparse.push_back(attends);
  }
  return sparse;
}

void ConfigReader::fail(const std::string& expected, const std::string& found) const {
  throw InputError(file_, "/config", expected, found);
}

const Json* ConfigReader::find(const Json& object, const char* name) const {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

const Json* ConfigReader::find_rope(const char* name) const {
  const Json* nested = rope_.is_object() ? find(rope_, name) : nullptr;
  return nested != nullptr ? nested : find(root_, name);
}

std::int64_t ConfigReader::as_integer(const Json& value, const char* name, std::int64_t lowest) const {
  if (!value.is_number_integer() || value < lowest || value > INT32_MAX) {
    fail(fmt::format("\"{}\" from {} to {}", name, lowest, INT32_MAX), value.dump());
  }
  return value.get<std::int64_t>();
}

std::int64_t ConfigReader::as_extent(const Json& value, const char* name) const {
  if (!value.is_number_integer() || value < 1 || value > kLargestExtent) {
    fail(fmt::format("\"{}\" from 1 to {}", name, kLargestExtent), value.dump());
  }
  return value.get<std::int64_t>();
}

double ConfigReader::as_positive(const Json* value, const char* name) const {
  if (value == nullptr) missing(fmt::format("a positive number \"{}\"", name));
  if (!value->is_number() || !(value->get<double>() > 0) || !std::isfinite(value->get<double>())) {
    fail(fmt::format("a positive number \"{}\"", name), value->dump());
  }
  return value->get<double>();
}

}  // namespace plumbline

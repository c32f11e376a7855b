#pragma once

#include "reference/model/model_config.h"

#include <span>
#include <string_view>

namespace plumbline {

/// A text config known by name, as JSON with Hugging Face's fields (fixtures/configs/NAME.json).
struct ConfigPreset {
  std::string_view name;
  std::string_view json;
};

/// "qwen3.8-flash-next": the released checkpoint's (MODEL.md §1); "tiny": four layers of every kind, float32.
std::span<const ConfigPreset> config_presets();
/// Throws InputError that lists the names when `name` is none of them.
const ConfigPreset& config_preset(std::string_view name);
ModelConfig preset_model_config(std::string_view name);

}  // namespace plumbline

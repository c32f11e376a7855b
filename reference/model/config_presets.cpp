#include "reference/model/config_presets.h"

#include "fixtures/error.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr ConfigPreset kPresets[] = {
#include "config_presets.inc"
};

}  // namespace

std::span<const ConfigPreset> config_presets() { return kPresets; }

const ConfigPreset& config_preset(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kPresets), std::end(kPresets),
                                         [name](const ConfigPreset& preset) { return preset.name == name; });
  if (found != std::end(kPresets)) return *found;
  std::string known;
  for (const ConfigPreset& preset : kPresets)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  throw InputError(fmt::format("config preset: expected one of {}, found \"{}\"", known, name));
}

ModelConfig preset_model_config(std::string_view name) {
  return parse_model_config(std::string(config_preset(name).json), fmt::format("preset {}", name));
}

}  // namespace plumbline

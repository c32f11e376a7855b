#pragma once

#include "oracle/plugin/plugin_process.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace plumbline {

/// The plugin of a shared object, served by this program in another process. Throws InputError for what is
/// none or cannot work here.
std::shared_ptr<PluginProcess> open_plugin(const std::string& library, std::chrono::milliseconds patience);

/// The compute capability that a plugin's scores are bounded by: of the device, where it works on one.
std::optional<std::string> capability_of(PluginProcess& plugin);

}  // namespace plumbline

#pragma once

#include "fixtures/foreign_memory.h"

#include <functional>
#include <memory>
#include <string>

namespace plumbline {

/// Descriptor on which the process of a plugin talks to the program.
constexpr int kPluginDescriptor = 3;

/// What a plugin for a device works on; throws std::runtime_error, saying why, where there is none.
using MakeDeviceMemory = std::function<std::unique_ptr<ForeignMemory>()>;

/// The life of a plugin's process: loads the shared object, says what it is, and serves calls from the
/// descriptor until that is closed. What the plugin prints goes to standard error.
void serve_plugin(const std::string& library, const MakeDeviceMemory& device_memory);

}  // namespace plumbline

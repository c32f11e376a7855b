#pragma once

#include "oracle/plugin/plugin.h"
#include "oracle/plugin/plugin_call.h"

#include <cstddef>
#include <span>

namespace plumbline {

/// Calls the plugin's function for `call`, which it must have, with inputs and outputs at these addresses
/// (null while querying).
plumbline_status invoke(const plumbline_plugin& plugin, plumbline_context& context, const PluginCall& call,
                        std::span<std::byte* const> inputs, std::span<std::byte* const> outputs);

bool offers(const plumbline_plugin& plugin, PluginOperation operation);

}  // namespace plumbline

#pragma once

#include "oracle/plugin/plugin_call.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace plumbline {

/// A message that is none: cut off, or with sizes beyond its end.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the first byte of every message says of the rest.
enum class WireKind : std::uint8_t {
  call,
  answer,
  facts,
  refusal,  ///< text: why the plugin cannot be loaded
  lack,     ///< text: what the machine lacks for it
  crash,    ///< text: what its process died of
};

// Messages between the program and the process that a plugin is loaded in. Both are the same program, so
// numbers are in its own byte order; what is read is checked all the same, for a plugin can spoil its
// process' memory.
std::vector<std::byte> to_wire(const PluginCall& call);
std::vector<std::byte> to_wire(const PluginAnswer& answer);
std::vector<std::byte> to_wire(const PluginFacts& facts);
PluginCall call_from_wire(std::span<const std::byte> bytes);
PluginAnswer answer_from_wire(std::span<const std::byte> bytes);
PluginFacts facts_from_wire(std::span<const std::byte> bytes);

}  // namespace plumbline

#pragma once

#include "fixtures/subject.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The operations of oracle/plugin/plugin.h.
enum class PluginOperation : std::uint8_t { select, score, select_paged, attend };
constexpr int kPluginOperations = 4;
/// "select", "score", "select_paged", "attend".
std::string_view name_of(PluginOperation operation);

/// An input as it lies in memory: every byte from the first to the last element of a view, gaps between rows
/// included, and how the first lay to a 64-byte line.
struct PluginInput {
  std::string name;
  DType dtype = DType::float32;
  Shape shape, strides;
  std::int64_t first = 0;       ///< byte of `storage` that element [0, 0, …] begins at
  std::uint8_t misaligned = 0;  ///< address of `storage` modulo 64
  std::vector<std::byte> storage;
};
PluginInput plugin_input(std::string name, const TensorView& view);

struct PluginOutput {
  std::string name;
  DType dtype = DType::int32;
  Shape shape;
};

/// Where the buffers of a call lie.
enum class Arrangement : std::uint8_t {
  canaries,     ///< between canaries, which a stray write changes
  guard_pages,  ///< each ends at a page that cannot be touched, so that a stray read is a crash (host only)
};

/// One call of a plugin. Inputs and outputs are in the order of the operation's struct in plugin.h; an absent
/// one has no axes.
struct PluginCall {
  PluginOperation operation = PluginOperation::select;
  SelectGeometry geometry;
  double scale = 0;  ///< attend
  Arrangement arrangement = Arrangement::canaries;
  std::uint8_t rubbish = 0xA5;  ///< byte that outputs and workspace hold on entry
  std::vector<PluginInput> inputs;
  std::vector<PluginOutput> outputs;
};

/// What a plugin did with a call.
struct PluginAnswer {
  enum class Kind : std::uint8_t { done, unsupported, failed };
  Kind kind = Kind::done;
  std::string message;             ///< the plugin's, one line
  std::vector<std::string> stray;  ///< "the 4 bytes behind 'blocks' were changed", "'scores' was written"
  std::vector<Tensor> outputs;     ///< when done
};

/// What a plugin says of itself.
struct PluginFacts {
  std::string name, contract;  ///< contract: empty where it names none
  bool on_device = false;
  std::vector<PluginOperation> offers;
  bool offers_operation(PluginOperation operation) const;
};

}  // namespace plumbline

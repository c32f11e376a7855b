#pragma once

#include "fixtures/foreign_memory.h"
#include "oracle/plugin/plugin_call.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// The buffers of one call, arranged so that what a kernel does outside them is seen: by a canary, by a
/// changed input, or by a crash at a page that cannot be touched.
class GuardedBuffers {
 public:
  /// `memory` outlives this; guard pages are for host memory alone.
  GuardedBuffers(ForeignMemory& memory, Arrangement arrangement)
      : memory_(memory), arrangement_(arrangement) {}

  /// Where the storage of an input begins; its own place among 64-byte lines is kept (among 16 bytes before a
  /// guard page).
  std::byte* input(const PluginInput& input);
  /// Room filled with `rubbish`, divisible by 256 (by 16 before a guard page).
  std::byte* output(const std::string& name, std::size_t bytes, std::uint8_t rubbish);

  /// After the call: what was changed although it may not be, a line each.
  std::vector<std::string> stray() const;
  /// Contents of what output() returned.
  std::vector<std::byte> contents(const std::byte* output) const;

 private:
  struct Buffer {
    std::string name;
    std::span<std::byte> region;  ///< with its canaries
    std::size_t first = 0, size = 0;
    std::vector<std::byte> before;  ///< of an input: what it held
    bool written = false;           ///< by the kernel's right
  };
  std::byte* place(const std::string& name, std::size_t size, std::uint8_t misaligned, bool written,
                   std::span<const std::byte> contents);
  ForeignMemory& memory_;
  Arrangement arrangement_;
  std::vector<Buffer> buffers_;
};

}  // namespace plumbline

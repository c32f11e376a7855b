#pragma once

#include "oracle/plugin/plugin_wire.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

struct WireMessage {
  WireKind kind = WireKind::answer;
  std::vector<std::byte> body;
};

/// Messages over a stream socket: their size in 8 bytes, a kind, the body. Owns the descriptor.
class WireChannel {
 public:
  using Clock = std::chrono::steady_clock;
  explicit WireChannel(int descriptor) : descriptor_(descriptor) {}
  WireChannel(const WireChannel&) = delete;
  WireChannel& operator=(const WireChannel&) = delete;
  ~WireChannel();

  enum class State : std::uint8_t { open, closed, late };
  /// `until`: absent waits for ever.
  State send(WireKind kind, std::span<const std::byte> body, std::optional<Clock::time_point> until);
  /// Throws WireError for a size no message has.
  State receive(WireMessage& message, std::optional<Clock::time_point> until);
  int descriptor() const { return descriptor_; }

 private:
  State wait(short events, std::optional<Clock::time_point> until) const;
  State write_all(std::span<const std::byte> bytes, std::optional<Clock::time_point> until);
  State read_all(std::span<std::byte> bytes, std::optional<Clock::time_point> until);
  int descriptor_;
};

}  // namespace plumbline

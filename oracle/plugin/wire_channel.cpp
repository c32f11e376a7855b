#include "oracle/plugin/wire_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace plumbline {

namespace {
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 36;
}

WireChannel::~WireChannel() { ::close(descriptor_); }

WireChannel::State WireChannel::wait(short events, std::optional<Clock::time_point> until) const {
  for (;;) {
    int milliseconds = -1;
    if (until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
      if (left <= 0) return State::late;
      milliseconds = static_cast<int>(std::min<std::int64_t>(left, 60'000));
    }
    pollfd watched{descriptor_, events, 0};
    const int ready = ::poll(&watched, 1, milliseconds);
    if (ready > 0) return State::open;
    if (ready < 0 && errno != EINTR) return State::closed;
  }
}

WireChannel::State WireChannel::write_all(std::span<const std::byte> bytes,
                                          std::optional<Clock::time_point> until) {
  while (!bytes.empty()) {
    if (const State state = wait(POLLOUT, until); state != State::open) return state;
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent <= 0) return State::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return State::open;
}

WireChannel::State WireChannel::read_all(std::span<std::byte> bytes, std::optional<Clock::time_point> until) {
  while (!bytes.empty()) {
    if (const State state = wait(POLLIN, until); state != State::open) return state;
    const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return State::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return State::open;
}

WireChannel::State WireChannel::send(WireKind kind, std::span<const std::byte> body,
                                     std::optional<Clock::time_point> until) {
  const std::uint64_t size = body.size() + 1;
  std::array<std::byte, sizeof size + 1> header{};
  std::memcpy(header.data(), &size, sizeof size);
  header.back() = static_cast<std::byte>(kind);
  if (const State state = write_all(header, until); state != State::open) return state;
  return write_all(body, until);
}

WireChannel::State WireChannel::receive(WireMessage& message, std::optional<Clock::time_point> until) {
  std::uint64_t size = 0;
  std::array<std::byte, sizeof size + 1> header{};
  if (const State state = read_all(header, until); state != State::open) return state;
  std::memcpy(&size, header.data(), sizeof size);
  if (size < 1 || size > kLargestMessage) throw WireError("a message of impossible size");
  message.kind = static_cast<WireKind>(header.back());
  message.body.resize(static_cast<std::size_t>(size - 1));
  return read_all(message.body, until);
}

}  // namespace plumbline

#include "oracle/plugin/guarded_buffers.h"

#include "oracle/plugin/crash_report.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kCanary = 4096;  ///< bytes before and behind a buffer
constexpr std::byte kCanaryByte{0xC5};

/// First and last of the bytes that are no canary's, and how many.
std::string changed(std::span<const std::byte> bytes, std::size_t from_end_of, const std::string& where) {
  const auto touched = [](std::byte byte) { return byte != kCanaryByte; };
  const auto first = std::ranges::find_if(bytes, touched);
  if (first == bytes.end()) return {};
  const auto at = static_cast<std::size_t>(first - bytes.begin());
  const std::size_t distance = from_end_of != 0 ? from_end_of - at : at;
  return fmt::format("{} bytes {} were written, the first {} bytes away",
                     std::ranges::count_if(bytes, touched), where, distance);
}

}  // namespace

std::byte* GuardedBuffers::place(const std::string& name, std::size_t size, std::uint8_t misaligned,
                                 bool written, std::span<const std::byte> contents) {
  Buffer buffer{name, {}, 0, size, {}, written};
  if (arrangement_ == Arrangement::canaries) {
    buffer.region = memory_.allocate(size + 2 * kCanary + 64);
    buffer.first = kCanary + misaligned;
  } else {
    buffer.region = memory_.allocate(size + 32);
    buffer.first = buffer.region.size() - size;
    buffer.first -= (buffer.first + 16 - misaligned % 16) % 16;
    note_guard_page(buffer.region.data() + buffer.region.size(), name);
  }
  const std::vector<std::byte> canaries(buffer.region.size(), kCanaryByte);
  memory_.upload(buffer.region.data(), canaries);
  memory_.upload(buffer.region.data() + buffer.first, contents);
  if (!written) buffer.before.assign(contents.begin(), contents.end());
  buffers_.push_back(std::move(buffer));
  return buffers_.back().region.data() + buffers_.back().first;
}

std::byte* GuardedBuffers::input(const PluginInput& input) {
  return place(input.name, input.storage.size(), input.misaligned, false, input.storage);
}

std::byte* GuardedBuffers::output(const std::string& name, std::size_t bytes, std::uint8_t rubbish) {
  const std::vector<std::byte> contents(bytes, std::byte{rubbish});
  return place(name, bytes, 0, true, contents);
}

std::vector<std::string> GuardedBuffers::stray() const {
  std::vector<std::string> lines;
  for (const Buffer& buffer : buffers_) {
    std::vector<std::byte> region(buffer.region.size());
    memory_.download(region, buffer.region.data());
    const std::span<const std::byte> all(region);
    const std::string before =
        changed(all.first(buffer.first), buffer.first, fmt::format("before '{}'", buffer.name));
    const std::string behind =
        changed(all.subspan(buffer.first + buffer.size), 0, fmt::format("behind '{}'", buffer.name));
    if (!before.empty()) lines.push_back(before);
    if (!behind.empty()) lines.push_back(behind);
    if (buffer.written) continue;
    const auto now = all.subspan(buffer.first, buffer.size);
    const auto differs = std::ranges::mismatch(now, buffer.before).in1;
    if (differs != now.end())
      lines.push_back(
          fmt::format("the input '{}' was written, first at byte {}", buffer.name, differs - now.begin()));
  }
  return lines;
}

std::vector<std::byte> GuardedBuffers::contents(const std::byte* output) const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.region.data() + buffer.first != output) continue;
    std::vector<std::byte> bytes(buffer.size);
    memory_.download(bytes, output);
    return bytes;
  }
  throw std::logic_error("no such output");
}

}  // namespace plumbline

#pragma once

#include "fixtures/foreign_memory.h"

#include <vector>

namespace plumbline {

/// The host's memory; it has no stream.
class HostMemory final : public ForeignMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override { release(); }
  std::span<std::byte> allocate(std::size_t bytes) override;
  void release() override;
  void upload(std::byte* to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, const std::byte* from) override;
  void* stream() override { return nullptr; }
  void synchronize() override {}

 private:
  std::vector<std::span<std::byte>> mappings_;
};

}  // namespace plumbline

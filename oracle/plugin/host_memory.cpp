#include "oracle/plugin/host_memory.h"

#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace plumbline {

std::span<std::byte> HostMemory::allocate(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t usable = (bytes + page - 1) / page * page, whole = usable + page;
  void* base = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(base);
  mappings_.emplace_back(first, whole);
  if (::mprotect(first + usable, page, PROT_NONE) != 0) throw std::bad_alloc();
  return {first, usable};
}

void HostMemory::release() {
  for (const std::span<std::byte> mapping : mappings_) ::munmap(mapping.data(), mapping.size());
  mappings_.clear();
}

void HostMemory::upload(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

void HostMemory::download(std::span<std::byte> to, const std::byte* from) {
  if (!to.empty()) std::memcpy(to.data(), from, to.size());
}

}  // namespace plumbline

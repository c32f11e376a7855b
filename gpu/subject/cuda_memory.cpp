#include "gpu/subject/cuda_memory.h"

#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/stream.h"

#include <algorithm>
#include <vector>

namespace plumbline::gpu {
namespace {

class CudaMemory final : public ForeignMemory {
 public:
  std::span<std::byte> allocate(std::size_t bytes) override {
    const std::size_t least = std::max<std::size_t>(bytes, 1);
    buffers_.emplace_back(static_cast<std::int64_t>(least));
    return {buffers_.back().data(), bytes};
  }
  void release() override { buffers_.clear(); }
  // On the plugin's stream: cudaMemcpy may return before the bytes have arrived, and no other stream waits.
  void upload(std::byte* to, std::span<const std::byte> from) override {
    if (from.empty()) return;
    PLUMBLINE_CHECK(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream_.get()));
    stream_.synchronize();
  }
  void download(std::span<std::byte> to, const std::byte* from) override {
    if (!to.empty()) PLUMBLINE_CHECK(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost));
  }
  void* stream() override { return stream_.get(); }
  // The whole device: a kernel that strayed to another stream still has to end before its outputs are read.
  void synchronize() override {
    stream_.synchronize();
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
  }

 private:
  Stream stream_;
  std::vector<DeviceBuffer<std::byte>> buffers_;
};

}  // namespace

std::unique_ptr<ForeignMemory> cuda_memory() { return std::make_unique<CudaMemory>(); }

}  // namespace plumbline::gpu

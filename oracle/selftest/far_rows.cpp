#include "oracle/selftest/far_rows.h"

#include <algorithm>

#include <sys/mman.h>

namespace plumbline::selftest {
namespace {

constexpr std::size_t kBytes = static_cast<std::size_t>(FarRows::kStride + FarRows::kBlocks) * sizeof(float);

}  // namespace

FarRows::FarRows() : visible_(DType::int32, {2}) {
  void* memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = static_cast<std::byte*>(memory);
  std::ranges::fill(visible_.as<std::int32_t>(), static_cast<std::int32_t>(kBlocks));
  auto* scores = reinterpret_cast<float*>(memory_);
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    scores[block] = static_cast<float>(block);
    scores[kStride + block] = static_cast<float>(kBlocks - block);
  }
}

FarRows::~FarRows() {
  if (memory_ != nullptr) munmap(memory_, kBytes);
}

SelectInputs FarRows::inputs() const {
  SelectInputs inputs;
  inputs.geometry.block_topk = 64;
  inputs.rows = 2;
  inputs.blocks = kBlocks;
  inputs.scores = TensorView{DType::float32, {2, kBlocks}, {kStride, 1}, memory_};
  inputs.visible_blocks = visible_.view();
  return inputs;
}

}  // namespace plumbline::selftest

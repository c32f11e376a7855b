#include "gpu/probe/mma_dot.h"
#include "gpu/runtime/check.h"
#include "gpu/select/mma_fragments.cuh"

namespace plumbline::gpu {
namespace {

constexpr int kRows = 16, kColumns = 8, kStep = 16;

// Fragments as the instruction defines them: lane = 4·group + pair. A lane holds of A the rows group and
// group + 8, of B the column group, both at k = 2·pair and 2·pair + 8, two neighbours in a register.
template <KeyType kType>
__global__ void mma_dot_kernel(const std::uint32_t* a, const std::uint32_t* b, std::int32_t inner,
                               float* out) {
  const int group = static_cast<int>(threadIdx.x) / 4, pair = static_cast<int>(threadIdx.x) % 4;
  const std::int64_t tile = blockIdx.x;
  const std::int32_t width = inner / 2;  // registers a row
  const std::uint32_t* low = a + (tile * kRows + group) * width;
  const std::uint32_t* high = low + 8 * width;
  const std::uint32_t* column = b + (tile * kColumns + group) * width;
  float sum[4] = {0, 0, 0, 0};
  for (std::int32_t k = 0; k < width; k += kStep / 2) {
    const std::uint32_t fragment[4] = {low[k + pair], high[k + pair], low[k + pair + 4], high[k + pair + 4]};
    Mma<kType>::step(sum, fragment, column[k + pair], column[k + pair + 4]);
  }
  float* to = out + tile * kRows * kColumns + group * kColumns + 2 * pair;
  to[0] = sum[0];
  to[1] = sum[1];
  to[8 * kColumns] = sum[2];
  to[8 * kColumns + 1] = sum[3];
}

int compute_capability() {
  int device = 0, major = 0;
  PLUMBLINE_CHECK(cudaGetDevice(&device));
  PLUMBLINE_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major;
}

}  // namespace

void mma_dot(KeyType type, const void* a, const void* b, std::int64_t tiles, std::int32_t inner, float* out,
             cudaStream_t stream) {
  if (inner <= 0 || inner % kStep != 0)
    throw Unsupported("mma.sync: the inner dimension is no multiple of 16");
  if (compute_capability() < 8) throw Unsupported("mma.sync: m16n8k16 needs capability 8.0");
  if (tiles == 0) return;
  const auto* left = static_cast<const std::uint32_t*>(a);
  const auto* right = static_cast<const std::uint32_t*>(b);
  const auto blocks = static_cast<unsigned>(tiles);
  if (type == KeyType::kFloat16) {
    mma_dot_kernel<KeyType::kFloat16><<<blocks, 32, 0, stream>>>(left, right, inner, out);
  } else {
    mma_dot_kernel<KeyType::kBfloat16><<<blocks, 32, 0, stream>>>(left, right, inner, out);
  }
  PLUMBLINE_CHECK_LAUNCH(mma_dot_kernel);
}

}  // namespace plumbline::gpu

#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/score_hopper.cuh"
#include "gpu/select/score_hopper.h"
#include "gpu/trace/trace_tag.cuh"

#include <algorithm>
#include <string>

namespace plumbline::gpu {
namespace {

using namespace hopper;

template <KeyType kType>
__global__ void __launch_bounds__(hopper::kThreads, 1)
    score_hopper_kernel(ScoreJob job, float* plane, std::int64_t row_stride, TraceTag tag) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  record_hit(tag, dispatch::Kernel::score_hopper);
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<ScoreShared*>(shared_bytes);
  run_score_job<kType>(shared, job, plane, row_stride);
#endif
}

template <KeyType kType>
void launch(const ScoreJob& job, float* plane, std::int64_t row_stride, unsigned blocks, cudaStream_t stream,
            TraceTag tag) {
  const auto kernel = score_hopper_kernel<kType>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel), sizeof(ScoreShared), "score_hopper");
  kernel<<<blocks, hopper::kThreads, sizeof(ScoreShared), stream>>>(job, plane, row_stride, tag);
  PLUMBLINE_CHECK_LAUNCH(score_hopper_kernel);
}

}  // namespace

void score_hopper(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible, float* scores,
                  std::int64_t row_stride, cudaStream_t stream, TraceTag tag) {
  const DeviceLimits limits = current_device_limits();
  if (limits.capability != 90)
    throw Unsupported("score.hopper: needs capability 9.0, found " + std::to_string(limits.capability / 10) +
                      "." + std::to_string(limits.capability % 10));
  if (inputs.requests != 1) throw Unsupported("score.hopper takes one request");
  if (inputs.rows == 0 || columns == 0) return;
  const std::int64_t row_tiles = (inputs.rows + hopper::kTileQueries - 1) / hopper::kTileQueries;
  const std::int64_t key_tiles = (std::int64_t{columns} + hopper::kTileKeys - 1) / hopper::kTileKeys;
  const std::int64_t splits = std::clamp<std::int64_t>(limits.multiprocessors / row_tiles, 1, key_tiles);
  const ScoreJob job{inputs, columns, visible, nullptr, nullptr, static_cast<std::int32_t>(splits), false};
  const unsigned blocks =
      static_cast<unsigned>(std::min<std::int64_t>(limits.multiprocessors, row_tiles * splits));
  inputs.type == KeyType::kFloat16 ? launch<KeyType::kFloat16>(job, scores, row_stride, blocks, stream, tag)
                                   : launch<KeyType::kBfloat16>(job, scores, row_stride, blocks, stream, tag);
}

}  // namespace plumbline::gpu

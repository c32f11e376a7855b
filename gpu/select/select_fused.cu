#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/fused_lists.cuh"
#include "gpu/select/select_fused.h"

#include <algorithm>
#include <string>

namespace plumbline::gpu {
namespace {

using hopper::KeepAboveBound;
using hopper::KeyRange;
using hopper::ScoreJob;
using hopper::StorePlane;

constexpr int kSelectThreads = 256;
constexpr int kCapacity = 4096;
constexpr std::int32_t kMaxFusedTopk = 1024;
using Selection = RowSelection<kSelectThreads, kCapacity>;

template <KeyType kType, bool kUndivided>
__global__ void __launch_bounds__(hopper::kThreads, 1)
    plane_kernel(ScoreJob job, StorePlane<kType, kUndivided> store) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  if (job.row_count != nullptr && *job.row_count == 0) return;
  hopper::run_score_job<kType>(*reinterpret_cast<hopper::ScoreShared*>(shared_bytes), job, store);
#endif
}

template <KeyType kType>
__global__ void __launch_bounds__(hopper::kThreads, 1) fused_score_kernel(ScoreJob job, KeepAboveBound keep) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  hopper::run_score_job<kType>(*reinterpret_cast<hopper::ScoreShared*>(shared_bytes), job, keep);
#endif
}

/// bounds[row]: a doubled head sum that about 4 standard deviations put below the k-th largest of the row.
__global__ void __launch_bounds__(kSelectThreads)
    bound_kernel(const float* sums, std::int32_t samples, std::int32_t columns, std::int32_t k, float* bounds,
                 std::int32_t* rescored) {
  extern __shared__ __align__(16) unsigned char selection_bytes[];
  auto& s = *reinterpret_cast<Selection::Shared*>(selection_bytes);
  const std::int64_t row = blockIdx.x;
  if (row == 0 && threadIdx.x == 0) *rescored = 0;
  for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < samples; i += kSelectThreads) {
    s.keys[i] = score_key(sums[row * samples + i]);
  }
  const float expected = static_cast<float>(k) * static_cast<float>(samples) / static_cast<float>(columns);
  const std::uint32_t rank =
      min(static_cast<std::uint32_t>(samples),
          static_cast<std::uint32_t>(expected + 8.0f + 4.0f * sqrtf(expected + 4.0f)) + 1u);
  __syncthreads();
  const RankCut cut = select_rank<kSelectThreads>(s.keys, static_cast<std::uint32_t>(samples), rank, 0u,
                                                  0xFFFFFFFFu, rank / 8, s.histogram, s.rank);
  if (threadIdx.x == 0) bounds[row] = key_score(cut.pivot);
}

struct ListSelection {
  const float* bounds;
  const std::uint64_t* lists;
  const std::uint32_t* counts;
  std::int32_t splits;
  const std::int32_t* visible;
  std::int32_t columns, k;
  std::int32_t* blocks;
  std::int32_t* rescored;  // [0]: count, then rows
};

__device__ __forceinline__ float list_score(float sum) {
  return hopper::is_plain(sum) ? hopper::divide_plain(sum) : hopper::score_of_doubled(sum);
}

/// Selects from a row's lists, or hands the row over.
__global__ void __launch_bounds__(kSelectThreads, 4) list_selection_kernel(ListSelection job) {
  extern __shared__ __align__(16) unsigned char selection_bytes[];
  auto& s = *reinterpret_cast<Selection::Shared*>(selection_bytes);
  __shared__ std::uint32_t starts[kSelectThreads], overflowed;
  const std::int64_t row = blockIdx.x;
  const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(job.visible[row], job.columns)));
  const std::uint32_t k = static_cast<std::uint32_t>(job.k);
  std::int32_t* blocks = job.blocks + row * job.k;
  const auto emit = [&](std::uint32_t position, std::uint32_t index) {
    blocks[position] = static_cast<std::int32_t>(index);
  };
  for (std::uint32_t i = n + threadIdx.x; i < k; i += kSelectThreads) blocks[i] = -1;
  if (n <= k) {
    for (std::uint32_t i = threadIdx.x; i < n; i += kSelectThreads) emit(i, i);
    return;
  }
  if (threadIdx.x == 0) s.max_key = s.below_count = overflowed = 0;
  __syncthreads();
  const std::uint32_t splits = static_cast<std::uint32_t>(job.splits);
  const std::uint32_t count = threadIdx.x < splits ? job.counts[row * job.splits + threadIdx.x] : 0;
  if (count > hopper::kListCapacity) overflowed = 1;
  std::uint32_t total;
  starts[threadIdx.x] = block_exclusive_sum<kSelectThreads>(count, s.rank.warp_sums, total);
  __syncthreads();
  bool proven = overflowed == 0 && total <= kCapacity && total >= k;
  const std::uint32_t bound = score_key(hopper::score_of_doubled(job.bounds[row]));
  if (proven) {
    const std::uint32_t first_step = splits > 1 ? 1u << (31 - __clz(static_cast<int>(splits - 1))) : 0;
    std::uint32_t high = 0, below = 0;
    for (std::uint32_t i = threadIdx.x; i < total; i += kSelectThreads) {
      std::uint32_t split = 0;  // the last whose entries start at or before i
      for (std::uint32_t step = first_step; step > 0; step /= 2) {
        if (split + step < splits && starts[split + step] <= i) split += step;
      }
      const std::uint64_t entry =
          job.lists[(row * job.splits + split) * hopper::kListCapacity + (i - starts[split])];
      const std::uint32_t key =
          score_key(list_score(__uint_as_float(static_cast<std::uint32_t>(entry >> 32))));
      s.keys[i] = key;
      s.indices[i] = static_cast<std::uint32_t>(entry);
      high = max(high, key);
      below += key <= bound;
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
      high = max(high, __shfl_xor_sync(kFullWarp, high, offset));
      below += __shfl_xor_sync(kFullWarp, below, offset);
    }
    if (lane_id() == 0) {
      atomicMax(&s.max_key, high);
      if (below > 0) atomicAdd(&s.below_count, below);
    }
  }
  __syncthreads();
  // Blocks outside the lists score at most the bound, so k above it prove that the lists hold every winner.
  proven = proven && total - s.below_count >= k;
  if (!proven) {
    if (threadIdx.x == 0) job.rescored[1 + atomicAdd(job.rescored, 1)] = static_cast<std::int32_t>(row);
    return;
  }
  const RankCut cut =
      select_rank<kSelectThreads>(s.keys, total, k, bound + 1, s.max_key, 0, s.histogram, s.rank);
  Selection::emit_winners<false>(s, nullptr, n, total, cut, emit);
}

/// The exact route for the rows handed over; `plane` holds their scores in list order.
__global__ void __launch_bounds__(kSelectThreads, 4)
    rescored_selection_kernel(const float* plane, std::int64_t row_stride, ListSelection job) {
  extern __shared__ __align__(16) unsigned char selection_bytes[];
  auto& s = *reinterpret_cast<Selection::Shared*>(selection_bytes);
  for (std::int32_t at = static_cast<std::int32_t>(blockIdx.x); at < job.rescored[0];
       at += static_cast<std::int32_t>(gridDim.x)) {
    const std::int64_t row = job.rescored[1 + at];
    const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(job.visible[row], job.columns)));
    std::int32_t* blocks = job.blocks + row * job.k;
    Selection::run(s, plane + at * row_stride, n, static_cast<std::uint32_t>(job.k),
                   [&](std::uint32_t position, std::uint32_t index) {
                     blocks[position] = static_cast<std::int32_t>(index);
                   });
    __syncthreads();
  }
}

template <KeyType kType>
void run(const ScoreJob& every, const ScoreJob& sampled, const ScoreJob& again,
         const StorePlane<kType, true>& sums, const KeepAboveBound& keep,
         const StorePlane<kType, false>& plane, const ListSelection& selection, int multiprocessors,
         float* bounds, cudaStream_t stream) {
  constexpr int kScoreBytes = sizeof(hopper::ScoreShared), kFusedBytes = sizeof(hopper::FusedShared),
                kSelectBytes = sizeof(Selection::Shared);
  allow_shared_memory(reinterpret_cast<const void*>(plane_kernel<kType, true>), kScoreBytes, "select.fused");
  allow_shared_memory(reinterpret_cast<const void*>(plane_kernel<kType, false>), kScoreBytes, "select.fused");
  allow_shared_memory(reinterpret_cast<const void*>(fused_score_kernel<kType>), kFusedBytes, "select.fused");
  allow_shared_memory(reinterpret_cast<const void*>(bound_kernel), kSelectBytes, "select.fused");
  allow_shared_memory(reinterpret_cast<const void*>(list_selection_kernel), kSelectBytes, "select.fused");
  allow_shared_memory(reinterpret_cast<const void*>(rescored_selection_kernel), kSelectBytes, "select.fused");
  const unsigned rows = static_cast<unsigned>(every.inputs.rows),
                 blocks = static_cast<unsigned>(multiprocessors);
  plane_kernel<kType, true><<<blocks, hopper::kThreads, kScoreBytes, stream>>>(sampled, sums);
  PLUMBLINE_CHECK_LAUNCH(plane_kernel);
  bound_kernel<<<rows, kSelectThreads, kSelectBytes, stream>>>(
      sums.plane, sampled.range.samples, every.range.columns, selection.k, bounds, selection.rescored);
  PLUMBLINE_CHECK_LAUNCH(bound_kernel);
  fused_score_kernel<kType><<<blocks, hopper::kThreads, kFusedBytes, stream>>>(every, keep);
  PLUMBLINE_CHECK_LAUNCH(fused_score_kernel);
  list_selection_kernel<<<rows, kSelectThreads, kSelectBytes, stream>>>(selection);
  PLUMBLINE_CHECK_LAUNCH(list_selection_kernel);
  plane_kernel<kType, false><<<blocks, hopper::kThreads, kScoreBytes, stream>>>(again, plane);
  PLUMBLINE_CHECK_LAUNCH(plane_kernel);
  rescored_selection_kernel<<<4 * blocks, kSelectThreads, kSelectBytes, stream>>>(
      plane.plane, plane.row_stride, selection);
  PLUMBLINE_CHECK_LAUNCH(rescored_selection_kernel);
}

}  // namespace

void FusedSelector::select(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible,
                           std::int32_t k, std::int32_t* blocks, cudaStream_t stream) {
  const DeviceLimits limits = current_device_limits();
  if (limits.capability != 90) {
    throw Unsupported("select.fused: needs capability 9.0, found " + std::to_string(limits.capability / 10) +
                      "." + std::to_string(limits.capability % 10));
  }
  if (inputs.requests != 1) throw Unsupported("select.fused takes one request");
  if (k < 1 || k > kMaxFusedTopk)
    throw Unsupported("select.fused: k must be 1 to 1024, found " + std::to_string(k));
  if (columns < 0 || columns > inputs.capacity())
    throw Unsupported("select.fused: more columns than the page table maps");
  if (inputs.rows == 0) return;
  if (columns == 0) {
    PLUMBLINE_CHECK(cudaMemsetAsync(blocks, 0xFF, static_cast<std::size_t>(inputs.rows * k) * 4, stream));
    return;
  }
  const std::int64_t row_tiles = (inputs.rows + hopper::kTileQueries - 1) / hopper::kTileQueries;
  const std::int64_t key_tiles = (std::int64_t{columns} + hopper::kTileKeys - 1) / hopper::kTileKeys;
  const std::int32_t splits = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      limits.multiprocessors / row_tiles, 1, std::min<std::int64_t>(key_tiles, kSelectThreads)));
  const std::int32_t samples = static_cast<std::int32_t>(
      Selection::sample_size(static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(k)));
  const std::int32_t sample_splits = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(limits.multiprocessors / row_tiles, 1, samples / hopper::kTileKeys));
  const std::int64_t row_stride = (std::int64_t{columns} + 3) / 4 * 4;
  samples_.reserve(inputs.rows * samples);
  bounds_.reserve(inputs.rows);
  entries_.reserve(row_tiles * hopper::kTileQueries * splits * hopper::kListCapacity);
  counts_.reserve(inputs.rows * splits);
  rescored_.reserve(inputs.rows + 1);
  plane_.reserve(inputs.rows * row_stride);

  const ScoreJob every{inputs, {columns, 0, 0}, visible, nullptr, nullptr, splits};
  ScoreJob sampled = every, again = every;
  sampled.range.samples = samples;
  sampled.range.samples_log2 = 31 - __builtin_clz(static_cast<unsigned>(samples));
  sampled.splits = sample_splits;
  again.splits = 0;
  again.row_list = rescored_.data() + 1;
  again.row_count = rescored_.data();
  const KeepAboveBound keep{bounds_.data(), entries_.data(), counts_.data()};
  const ListSelection selection{bounds_.data(), entries_.data(), counts_.data(), splits, visible, columns, k,
                                blocks,         rescored_.data()};
  inputs.type == KeyType::kFloat16
      ? run<KeyType::kFloat16>(every, sampled, again, {samples_.data(), samples}, keep,
                               {plane_.data(), row_stride}, selection, limits.multiprocessors, bounds_.data(),
                               stream)
      : run<KeyType::kBfloat16>(every, sampled, again, {samples_.data(), samples}, keep,
                                {plane_.data(), row_stride}, selection, limits.multiprocessors,
                                bounds_.data(), stream);
}

std::int32_t FusedSelector::rescored_rows(cudaStream_t stream) const {
  std::int32_t count = 0;
  if (rescored_.size() == 0) return 0;
  PLUMBLINE_CHECK(cudaMemcpyAsync(&count, rescored_.data(), sizeof count, cudaMemcpyDeviceToHost, stream));
  PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
  return count;
}

}  // namespace plumbline::gpu

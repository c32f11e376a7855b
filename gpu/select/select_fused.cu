#include "gpu/dispatch/read_back.h"
#include "gpu/runtime/capability.h"
#include "gpu/runtime/check.h"
#include "gpu/select/fused_geometry.h"
#include "gpu/select/fused_kernel.cuh"
#include "gpu/select/list_selection.cuh"
#include "gpu/select/score_hopper.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/topk_lexicographic.h"

#include <algorithm>
#include <string>

namespace plumbline::gpu {
namespace {

using hopper::FusedJob;
using hopper::ScoreJob;

constexpr std::int32_t kMaxFusedTopk = 1024;
constexpr int kExactThreads = 256;
using ExactSelection = RowSelection<kExactThreads, 4096>;

/// Scores of the rows handed over, in the order of their list.
template <KeyType kType>
__global__ void __launch_bounds__(hopper::kThreads, 1)
    handed_over_scores_kernel(ScoreJob job, float* plane, std::int64_t row_stride, TraceTag tag) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  record_hit(tag, dispatch::Kernel::handed_over_scores);
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  hopper::wait_for_launch_before();
  hopper::let_next_launch_start();
  if (*job.row_count == 0) return;
  hopper::run_score_job<kType>(*reinterpret_cast<hopper::ScoreShared*>(shared_bytes), job, plane, row_stride);
#endif
}

/// The exact route for the rows handed over. The plane has their scores in the order of their list, or of all
/// rows.
__global__ void __launch_bounds__(kExactThreads, 4)
    handed_over_selection_kernel(const float* plane, std::int64_t row_stride, bool every_row, ListJob job,
                                 TraceTag tag) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  record_hit(tag, dispatch::Kernel::handed_over_selection);
  extern __shared__ __align__(16) unsigned char selection_bytes[];
  auto& s = *reinterpret_cast<ExactSelection::Shared*>(selection_bytes);
  hopper::wait_for_launch_before();
  for (std::int32_t at = static_cast<std::int32_t>(blockIdx.x); at < job.handed_over[0];
       at += static_cast<std::int32_t>(gridDim.x)) {
    const std::int64_t row = job.handed_over[1 + at];
    const std::uint32_t n = static_cast<std::uint32_t>(max(0, min(job.visible[row], job.columns)));
    std::int32_t* blocks = job.blocks + row * job.k;
    ExactSelection::run(s, plane + (every_row ? row : at) * row_stride, n, static_cast<std::uint32_t>(job.k),
                        [&](std::uint32_t position, std::uint32_t index) {
                          blocks[position] = static_cast<std::int32_t>(index);
                        });
    __syncthreads();
  }
#endif
}

/// A launch that either needs all its blocks on the device at once, or may begin before the one before ends.
enum class LaunchKind { kTogether, kEarly };

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const char* name, LaunchKind kind, std::int64_t blocks,
            int threads, int shared_bytes, cudaStream_t stream, Arguments... arguments) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel), shared_bytes, "select.fused");
  cudaLaunchAttribute attribute{};
  if (kind == LaunchKind::kTogether) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), name, __FILE__, __LINE__);
}

template <int kThreads, int kCapacity, int kWindow, int kBlocks, int kParts, int kSlots>
void select_from_lists(const ListJob& job, std::int64_t rows, cudaStream_t stream, TraceTag tag) {
  using Selection = RowSelection<kThreads, kCapacity, 4, kWindow>;
  launch(list_selection_kernel<Selection, kThreads, kCapacity, kBlocks, kParts, kSlots>,
         "list_selection_kernel", LaunchKind::kEarly, rows, kThreads, sizeof(typename Selection::Shared),
         stream, job, tag);
}

template <KeyType kType>
void run(const FusedJob& fused, const FusedGeometry& geometry, const ListJob& lists, float* handed_over_plane,
         std::int64_t row_stride, int multiprocessors, cudaStream_t stream, TraceTag tag) {
  constexpr int kScoreBytes = sizeof(hopper::ScoreShared);
  const std::int64_t rows = fused.score.inputs.rows;
  const std::int64_t row_tiles = (rows + hopper::kTileQueries - 1) / hopper::kTileQueries;
  const bool store = fused.plane != nullptr;
  const auto kernel = store               ? geometry.few_rows ? hopper::fused_score_kernel<kType, true, true>
                                                              : hopper::fused_score_kernel<kType, true, false>
                                    : geometry.few_rows ? hopper::fused_score_kernel<kType, false, true>
                                          : hopper::fused_score_kernel<kType, false, false>;
  launch(kernel, "fused_score_kernel", LaunchKind::kTogether, row_tiles * geometry.splits, hopper::kThreads,
         kScoreBytes, stream, fused, tag);
  if (geometry.few_rows) {
    select_from_lists<1024, 4096, 65536, 1, 8, 1>(lists, rows, stream, tag);
  } else if (geometry.small_buffer) {
    select_from_lists<256, 2048, 49152, 5, 2, 4>(lists, rows, stream, tag);
  } else {
    select_from_lists<256, 4096, 65536, 4, 2, 4>(lists, rows, stream, tag);
  }
  ScoreJob again = fused.score;
  again.splits = 0;
  again.row_list = lists.handed_over + 1;
  again.row_count = lists.handed_over;
  again.in_place = store;
  launch(handed_over_scores_kernel<kType>, "handed_over_scores_kernel", LaunchKind::kEarly, multiprocessors,
         hopper::kThreads, kScoreBytes, stream, again, handed_over_plane, row_stride, tag);
  launch(handed_over_selection_kernel, "handed_over_selection_kernel", LaunchKind::kEarly,
         4 * multiprocessors, kExactThreads, sizeof(ExactSelection::Shared), stream, handed_over_plane,
         row_stride, store, lists, tag);
}

void refuse_unsupported(const DeviceLimits& limits, const PagedInputs& inputs, std::int32_t columns,
                        std::int32_t k) {
  if (limits.capability != 90) {
    throw Unsupported("select.fused: needs capability 9.0, found " + std::to_string(limits.capability / 10) +
                      "." + std::to_string(limits.capability % 10));
  }
  if (inputs.requests != 1) throw Unsupported("select.fused takes one request");
  if (k < 1 || k > kMaxFusedTopk)
    throw Unsupported("select.fused: k must be 1 to 1024, found " + std::to_string(k));
  if (columns < 0 || columns > inputs.capacity())
    throw Unsupported("select.fused: more columns than the page table maps");
}

}  // namespace

void FusedSelector::select(const PagedInputs& inputs, std::int32_t columns, const std::int32_t* visible,
                           std::int32_t k, std::int32_t* blocks, float* scores, std::int64_t row_stride,
                           cudaStream_t stream, TraceTag tag) {
  const DeviceLimits limits = current_device_limits();
  refuse_unsupported(limits, inputs, columns, k);
  if (inputs.rows == 0) return;
  if (columns == 0) {
    PLUMBLINE_CHECK(cudaMemsetAsync(blocks, 0xFF, static_cast<std::size_t>(inputs.rows * k) * 4, stream));
    return;
  }
  if (scores != nullptr && columns <= dispatch::kReadBackColumns) {
    score_hopper(inputs, columns, visible, scores, row_stride, stream, tag);
    topk_lexicographic({scores, row_stride, visible, inputs.rows, columns, k, blocks, nullptr}, stream, tag);
    if (handed_over_.size() > 0) PLUMBLINE_CHECK(cudaMemsetAsync(handed_over_.data(), 0, 4, stream));
    return;
  }
  const FusedGeometry g = fused_geometry(inputs.rows, columns, k, limits.multiprocessors);
  const std::int64_t row_tiles = (g.chunk_rows + hopper::kTileQueries - 1) / hopper::kTileQueries;
  const std::int64_t padded_rows = row_tiles * (g.few_rows ? hopper::kGroupQueries : hopper::kTileQueries);
  if (scores == nullptr) row_stride = (std::int64_t{columns} + 3) / 4 * 4;
  samples_.reserve(g.chunk_rows * g.splits * g.sample_per_split);
  bounds_.reserve(g.chunk_rows * 2);
  entries_.reserve(((padded_rows * g.parts + 1) * 32) << g.slots_log2);
  counts_.reserve(g.chunk_rows * g.parts * 32);
  handed_over_.reserve(g.chunk_rows + 1);
  if (scores == nullptr) plane_.reserve(g.chunk_rows * row_stride);
  if (arrived_.size() < row_tiles) {
    arrived_.reserve(row_tiles);
    PLUMBLINE_CHECK(cudaMemsetAsync(arrived_.data(), 0, arrived_.bytes(), stream));
  }
  auto* const bounds = reinterpret_cast<hopper::RowBound*>(bounds_.data());
  const std::uintptr_t part_bytes = (sizeof(uint2) * 32) << g.slots_log2;
  const hopper::KeptLists lists{
      reinterpret_cast<uint2*>((reinterpret_cast<std::uintptr_t>(entries_.data()) + part_bytes - 1) /
                               part_bytes * part_bytes),
      counts_.data(), g.parts, g.slots_log2};
  for (std::int64_t first = 0; first < inputs.rows; first += g.chunk_rows) {
    PagedInputs chunk = inputs;
    chunk.rows = std::min(g.chunk_rows, inputs.rows - first);
    chunk.query = static_cast<const std::uint16_t*>(inputs.query) + first * kIndexHeads * kIndexDim;
    const FusedJob fused{{chunk, columns, visible + first, nullptr, nullptr, g.splits, false},
                         k,
                         {g.splits, g.sample_per_split},
                         samples_.data(),
                         bounds,
                         lists,
                         arrived_.data(),
                         handed_over_.data(),
                         scores != nullptr ? scores + first * row_stride : nullptr,
                         row_stride};
    const ListJob selection{lists,
                            bounds,
                            visible + first,
                            columns,
                            k,
                            blocks + first * k,
                            handed_over_.data(),
                            arrived_.data(),
                            scores != nullptr};
    float* const plane = scores != nullptr ? scores + first * row_stride : plane_.data();
    inputs.type == KeyType::kFloat16
        ? run<KeyType::kFloat16>(fused, g, selection, plane, row_stride, limits.multiprocessors, stream, tag)
        : run<KeyType::kBfloat16>(fused, g, selection, plane, row_stride, limits.multiprocessors, stream,
                                  tag);
  }
}

std::int32_t FusedSelector::handed_over_rows(cudaStream_t stream) const {
  std::int32_t count = 0;
  if (handed_over_.size() == 0) return 0;
  PLUMBLINE_CHECK(cudaMemcpyAsync(&count, handed_over_.data(), sizeof count, cudaMemcpyDeviceToHost, stream));
  PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
  return count;
}

}  // namespace plumbline::gpu

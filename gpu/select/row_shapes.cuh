#pragma once

#include "gpu/select/row_selection.cuh"

namespace plumbline::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr int kThreadsPerMultiprocessor = 1024;
#else
inline constexpr int kThreadsPerMultiprocessor = 1536;  // the least of the other capabilities
#endif

/// Blocks sized for a kind of row: as measured, short rows want many small blocks, long ones fewer large
/// ones.
template <int kThreads_, int kBlocks_, int kCapacity_, int kInFlight_ = 4>
struct RowShape {
  static constexpr int kThreads = kThreads_;
  /// Blocks a multiprocessor should hold at once.
  static constexpr int kBlocks =
      kBlocks_ * kThreads_ <= kThreadsPerMultiprocessor ? kBlocks_ : kThreadsPerMultiprocessor / kThreads_;
  using Selection = RowSelection<kThreads_, kCapacity_, kInFlight_>;
  static constexpr int kSharedBytes = sizeof(typename Selection::Shared);
};

using ShortRows = RowShape<256, 5, 2048>;    // k <= 512
using LongRows = RowShape<512, 3, 4096>;     // k <= 1024
using LargeK = RowShape<512, 2, 8192>;       // k <= 2048
using LargeKTight = RowShape<512, 1, 5120>;  // the same within 64 KB of shared memory

// Rows of products: four vectors are loaded for one of sums, two in flight fit 40 registers.
using Products = RowShape<512, 3, 4096, 2>;  // k <= 1024

}  // namespace plumbline::gpu

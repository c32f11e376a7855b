#pragma once

namespace plumbline::gpu {

/// Threads a multiprocessor holds of the capability that is compiled for.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 720 || __CUDA_ARCH__ == 800 || \
    __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
inline constexpr int kResidentThreads = 2048;
#elif __CUDA_ARCH__ == 750
inline constexpr int kResidentThreads = 1024;
#else
inline constexpr int kResidentThreads = 1536;
#endif

/// What to ask __launch_bounds__ for: `wanted` blocks of `threads`, or as many as the capability can hold.
constexpr int resident_blocks(int threads, int wanted) {
  return wanted * threads <= kResidentThreads ? wanted : kResidentThreads / threads;
}

}  // namespace plumbline::gpu

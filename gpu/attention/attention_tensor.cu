#include "gpu/attention/attention_kinds.h"
#include "gpu/attention/attention_rows.cuh"
#include "gpu/select/hopper.cuh"
#include "gpu/trace/trace_tag.cuh"

#include <algorithm>

// One block per row, key/value head and split. The query heads of a group are the 16 rows of a product; a
// tile of 32 tokens travels by asynchronous copies while the tile before it is computed. Four warps: each
// scores 8 of a tile's tokens, then each sums a quarter of the columns over all 32.

namespace plumbline::gpu {
namespace {

constexpr int kThreads = 128, kWarps = 4, kTile = 32;
constexpr int kSlots = 2048;       // resolved ahead of the tiles
constexpr int kWeightStride = 40;  // 16-bit numbers; 20 words: eight rows hit all banks

/// Shared memory of a block.
template <int kDim, bool kFloat8, int kStages>
struct Layout {
  static constexpr int kRowBytes = kDim * 2;                // a token's vector in 16 bits
  static constexpr int kTileBytes = 2 * kTile * kRowBytes;  // keys, then values
  static constexpr int kStageBytes = kFloat8 ? kTileBytes / 2 : kTileBytes;
  static constexpr int kStagesAt = 0;
  static constexpr int kWidenedAt = kStagesAt + kStages * kStageBytes;  // of e4m3 alone
  static constexpr int kWeightsAt = kWidenedAt + (kFloat8 ? kTileBytes : 0);
  static constexpr int kMaximaAt = kWeightsAt + 2 * kMostGroup * kWeightStride * 2;
  static constexpr int kSlotsAt = kMaximaAt + kWarps * kMostGroup * 4;
  static constexpr int kBytes = kSlotsAt + kSlots * 4;
};

#if __CUDA_ARCH__ >= 800

/// Byte of a 16-byte piece of a token's vector; pieces are permuted so that eight tokens hit eight bank
/// groups.
template <int kDim>
__device__ __forceinline__ int piece_at(int token, int piece) {
  return token * (kDim * 2) + ((piece ^ (token & 7)) << 4);
}

__device__ __forceinline__ void load_4(std::uint32_t (&out)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(address));
}
__device__ __forceinline__ void load_4_transposed(std::uint32_t (&out)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(address));
}

template <KeyType kType, int kDim, bool kFloat8, int kStages>
class Block {
  using Number = StoredNumber<kType>;
  using T = typename Number::Type;
  using Shared = Layout<kDim, kFloat8, kStages>;
  static constexpr int kSteps = kDim / 16;        // of a score
  static constexpr int kColumns = kDim / kWarps;  // of a warp
  static constexpr int kGroups = kColumns / 8;    // of 8 columns

 public:
  __device__ Block(const AttentionRequest& r, const AttentionParts& parts, unsigned char* shared)
      : r_(r),
        parts_(parts),
        shared_(shared),
        slots_(reinterpret_cast<std::int32_t*>(shared + Shared::kSlotsAt)),
        maxima_(reinterpret_cast<float*>(shared + Shared::kMaximaAt)),
        base_(hopper::shared_address(shared)),
        row_(blockIdx.x),
        kv_head_(static_cast<int>(blockIdx.y)),
        split_(static_cast<int>(blockIdx.z)),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % 32),
        warp_(thread_ / 32),
        upper_(lane_ / 4),
        pair_(lane_ % 4 * 2),
        first_head_(row_ * r.heads + static_cast<std::int64_t>(kv_head_) * r.group()) {}

  __device__ void run() {
    load_query();
    const std::int64_t last = parts_.first_token(r_.selected, split_ + 1);
    for (std::int64_t first = parts_.first_token(r_.selected, split_); first < last; first += kSlots)
      attend(first,
             static_cast<int>(min(static_cast<long long>(kSlots), static_cast<long long>(last - first))));
    finish();
  }

 private:
  __device__ void load_query() {
    const T* query = static_cast<const T*>(r_.query) + first_head_ * kDim;
    const bool has_upper = upper_ < r_.group(), has_lower = upper_ + 8 < r_.group();
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const int column = s * 16 + pair_;
      const auto two = [&](bool there, int head, int at) {
        return there ? *reinterpret_cast<const std::uint32_t*>(query + head * kDim + at) : 0u;
      };
      query_[s][0] = two(has_upper, upper_, column);
      query_[s][1] = two(has_lower, upper_ + 8, column);
      query_[s][2] = two(has_upper, upper_, column + 8);
      query_[s][3] = two(has_lower, upper_ + 8, column + 8);
    }
  }

  /// Copies a tile's keys and values into its stage; what points nowhere becomes zeros.
  __device__ void fetch(int tile) {
    constexpr int kBytes = kFloat8 ? kDim : 2 * kDim, kPieces = kBytes / 16;
    const std::uint32_t stage = base_ + Shared::kStagesAt + tile % kStages * Shared::kStageBytes;
#pragma unroll
    for (int which = 0; which < 2; ++which) {
      const auto* cache = static_cast<const unsigned char*>(which == 0 ? r_.keys : r_.values);
#pragma unroll
      for (int i = 0; i < kTile * kPieces / kThreads; ++i) {
        const int token = (thread_ + i * kThreads) / kPieces, piece = (thread_ + i * kThreads) % kPieces;
        const std::int64_t slot = slots_[tile * kTile + token];
        const std::int64_t from = slot < 0 ? 0 : (slot * r_.kv_heads + kv_head_) * kBytes + piece * 16;
        const int to = kFloat8 ? token * kBytes + piece * 16 : piece_at<kDim>(token, piece);
        hopper::copy_async_16(stage + which * (Shared::kStageBytes / 2) + to, cache + from, slot < 0);
      }
    }
    hopper::copy_async_commit();
  }

  /// The tile in 16 bits: where it lies, or widened from e4m3.
  __device__ std::uint32_t tile_of(int tile) {
    const int stage = Shared::kStagesAt + tile % kStages * Shared::kStageBytes;
    if constexpr (!kFloat8) {
      return base_ + stage;
    } else {
      constexpr int kPieces = 2 * kTile * kDim / 16;
      for (int i = thread_; i < kPieces; i += kThreads) {
        const uint4 bytes = *reinterpret_cast<const uint4*>(shared_ + stage + i * 16);
        const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
        const int vector = i / (kDim / 16), piece = i % (kDim / 16) * 2;  // keys, then values
        unsigned char* half = shared_ + Shared::kWidenedAt + vector / kTile * (Shared::kTileBytes / 2);
#pragma unroll
        for (int eight = 0; eight < 2; ++eight) {
          alignas(16) T widened[8];
#pragma unroll
          for (int b = 0; b < 8; ++b)
            widened[b] = Number::round(widen_e4m3(words[eight * 2 + b / 4] >> (b % 4 * 8) & 0xFFu));
          *reinterpret_cast<uint4*>(half + piece_at<kDim>(vector % kTile, piece + eight)) =
              *reinterpret_cast<const uint4*>(widened);
        }
      }
      __syncthreads();
      return base_ + Shared::kWidenedAt;
    }
  }

  __device__ void attend(std::int64_t first, int count) {
    __syncthreads();  // nobody reads the slots before these any more
    const int tiles = (count + kTile - 1) / kTile;
    const std::int32_t request = r_.token_to_request[row_];
    for (int i = thread_; i < tiles * kTile; i += kThreads)
      slots_[i] = i < count ? static_cast<std::int32_t>(slot_of(r_, row_, request, first + i)) : -1;
    __syncthreads();
#pragma unroll
    for (int tile = 0; tile < kStages - 1; ++tile) {
      if (tile < tiles)
        fetch(tile);
      else
        hopper::copy_async_commit();
    }
    for (int tile = 0; tile < tiles; ++tile) {
      hopper::copy_async_wait<kStages - 2>();
      __syncthreads();  // this tile is here for all, and nobody reads the one before it any more
      if (tile + kStages - 1 < tiles)
        fetch(tile + kStages - 1);
      else
        hopper::copy_async_commit();
      const std::uint32_t numbers = tile_of(tile);
      float score[4];
      score_tokens(numbers, tile, score);
      weigh(score);
      sum_values(numbers + Shared::kTileBytes / 2);
    }
    hopper::copy_async_wait<0>();
  }

  /// Scores of this warp's 8 tokens: two chains over alternating steps of 16, then their sum.
  __device__ void score_tokens(std::uint32_t keys, int tile, float (&score)[4]) {
    float even[4] = {}, odd[4] = {};
    const int token = warp_ * 8 + lane_ % 8;
#pragma unroll
    for (int s = 0; s < kSteps; s += 2) {
      std::uint32_t key[4];
      load_4(key, keys + piece_at<kDim>(token, s * 2 + lane_ / 8));
      Mma<kType>::step(even, query_[s], key[0], key[1]);
      Mma<kType>::step(odd, query_[s + 1], key[2], key[3]);
    }
    const std::int32_t* slots = slots_ + tile * kTile + warp_ * 8 + pair_;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      score[i] = slots[i % 2] < 0 ? -CUDART_INF_F : (even[i] + odd[i]) * r_.score_scale;
  }

  /// Largest of each row over the four lanes that share it.
  __device__ static float over_quad(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
  }

  /// Turns scores into weights relative to the largest so far, leaves them to the other warps as the sum of
  /// two 16-bit numbers, and shrinks what was summed before.
  __device__ void weigh(const float (&score)[4]) {
    const float own[2] = {over_quad(fmaxf(score[0], score[1])), over_quad(fmaxf(score[2], score[3]))};
    if (lane_ % 4 == 0) {
      maxima_[warp_ * kMostGroup + upper_] = own[0];
      maxima_[warp_ * kMostGroup + upper_ + 8] = own[1];
    }
    __syncthreads();
    T* high = reinterpret_cast<T*>(shared_ + Shared::kWeightsAt);
    T* low = high + kMostGroup * kWeightStride;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int head = upper_ + half * 8;
      float now = largest_[half];
#pragma unroll
      for (int w = 0; w < kWarps; ++w) now = fmaxf(now, maxima_[w * kMostGroup + head]);
      const float shrink = weight_of(largest_[half], now);
      largest_[half] = now;
      const float p[2] = {weight_of(score[half * 2], now), weight_of(score[half * 2 + 1], now)};
      weight_[half] = weight_[half] * shrink + (p[0] + p[1]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const T rounded = Number::round(p[i]);
        const int at = head * kWeightStride + warp_ * 8 + pair_ + i;
        high[at] = rounded;
        low[at] = Number::round(p[i] - Number::widen(rounded));
      }
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        sum_[g][half * 2] *= shrink;
        sum_[g][half * 2 + 1] *= shrink;
      }
    }
    __syncthreads();
  }

  __device__ void load_weights(std::uint32_t (&out)[4], int which, int step) {
    const T* weights = reinterpret_cast<const T*>(shared_ + Shared::kWeightsAt) +
                       which * kMostGroup * kWeightStride + upper_ * kWeightStride + step * 16 + pair_;
    out[0] = *reinterpret_cast<const std::uint32_t*>(weights);
    out[1] = *reinterpret_cast<const std::uint32_t*>(weights + 8 * kWeightStride);
    out[2] = *reinterpret_cast<const std::uint32_t*>(weights + 8);
    out[3] = *reinterpret_cast<const std::uint32_t*>(weights + 8 * kWeightStride + 8);
  }

  /// Adds the tile's 32 tokens to this warp's columns, 16 at a time, the smaller halves of the weights first.
  __device__ void sum_values(std::uint32_t values) {
#pragma unroll
    for (int step = 0; step < kTile / 16; ++step) {
      std::uint32_t high[4], low[4];
      load_weights(high, 0, step);
      load_weights(low, 1, step);
#pragma unroll
      for (int g = 0; g < kGroups; g += 2) {
        std::uint32_t value[4];
        load_4_transposed(
            value, values + piece_at<kDim>(step * 16 + lane_ % 16, warp_ * (kColumns / 8) + g + lane_ / 16));
        Mma<kType>::step(sum_[g], low, value[0], value[1]);
        Mma<kType>::step(sum_[g + 1], low, value[2], value[3]);
        Mma<kType>::step(sum_[g], high, value[0], value[1]);
        Mma<kType>::step(sum_[g + 1], high, value[2], value[3]);
      }
    }
  }

  /// Weights of all tokens: over the four lanes of a row, then over the warps in their order.
  __device__ void total_weights() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      weight_[half] += __shfl_xor_sync(~0u, weight_[half], 1);
      weight_[half] += __shfl_xor_sync(~0u, weight_[half], 2);
    }
    __syncthreads();
    if (lane_ % 4 == 0) {
      maxima_[warp_ * kMostGroup + upper_] = weight_[0];
      maxima_[warp_ * kMostGroup + upper_ + 8] = weight_[1];
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      weight_[half] = 0;
      for (int w = 0; w < kWarps; ++w) weight_[half] += maxima_[w * kMostGroup + upper_ + half * 8];
    }
  }

  __device__ void finish() {
    total_weights();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (upper_ + half * 8 >= r_.group()) continue;
      const std::int64_t head = first_head_ + upper_ + half * 8, part = head * parts_.splits + split_;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const int column = warp_ * kColumns + g * 8 + pair_;
        const float two[2] = {sum_[g][half * 2], sum_[g][half * 2 + 1]};
        if (parts_.splits > 1) {
          *reinterpret_cast<float2*>(parts_.sums + part * kDim + column) = make_float2(two[0], two[1]);
        } else {
          write_result<kType>(r_, head * kDim + column, two[0], weight_[half]);
          write_result<kType>(r_, head * kDim + column + 1, two[1], weight_[half]);
        }
      }
      if (warp_ != 0 || lane_ % 4 != 0) continue;
      if (parts_.splits > 1)
        parts_.weights[part] = make_float2(largest_[half], weight_[half]);
      else if (r_.lse != nullptr)
        r_.lse[head] = natural_lse(largest_[half], weight_[half]);
    }
  }

  const AttentionRequest& r_;
  const AttentionParts& parts_;
  unsigned char* shared_;
  std::int32_t* slots_;
  float* maxima_;
  std::uint32_t base_;
  std::int64_t row_;
  int kv_head_, split_, thread_, lane_, warp_, upper_, pair_;
  std::int64_t first_head_;
  std::uint32_t query_[kSteps][4];
  float sum_[kGroups][4] = {};
  float largest_[2] = {-CUDART_INF_F, -CUDART_INF_F}, weight_[2] = {0, 0};
};

#endif

template <KeyType kType, int kDim, bool kFloat8, int kStages>
__global__ void __launch_bounds__(kThreads)
    attention_tensor_kernel(AttentionRequest r, AttentionParts parts, TraceTag tag) {
#if __CUDA_ARCH__ >= 800
  record_hit(tag, dispatch::Kernel::attention_tensor);
  extern __shared__ __align__(128) unsigned char shared[];
  Block<kType, kDim, kFloat8, kStages>(r, parts, shared).run();
#endif
}

template <KeyType kType, int kDim, bool kFloat8, int kStages>
void launch_staged(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
                   cudaStream_t stream) {
  constexpr int kBytes = Layout<kDim, kFloat8, kStages>::kBytes;
  const auto kernel = attention_tensor_kernel<kType, kDim, kFloat8, kStages>;
  PLUMBLINE_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const dim3 grid(static_cast<unsigned>(r.rows), static_cast<unsigned>(r.kv_heads),
                  static_cast<unsigned>(parts.splits));
  kernel<<<grid, kThreads, kBytes, stream>>>(r, parts, tag);
  PLUMBLINE_CHECK(cudaGetLastError());
}

/// Three stages where a block may take so much shared memory (8.0, 9.0), else two.
template <KeyType kType, int kDim, bool kFloat8>
void launch(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
            cudaStream_t stream) {
  int device = 0, most = 0;
  PLUMBLINE_CHECK(cudaGetDevice(&device));
  PLUMBLINE_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  most >= Layout<kDim, kFloat8, 3>::kBytes ? launch_staged<kType, kDim, kFloat8, 3>(r, parts, tag, stream)
                                           : launch_staged<kType, kDim, kFloat8, 2>(r, parts, tag, stream);
}

}  // namespace

void attention_tensor(const AttentionRequest& r, const AttentionParts& parts, const TraceTag& tag,
                      cudaStream_t stream) {
  for_kind(r, [&]<KeyType kType, int kDim, bool kFloat8>() {
    launch<kType, kDim, kFloat8>(r, parts, tag, stream);
  });
}

}  // namespace plumbline::gpu

#include "gpu/runtime/check.h"
#include "gpu/select/paged_inputs.cuh"
#include "gpu/select/score_cublas.h"
#include "gpu/trace/trace_tag.cuh"

#include <algorithm>

namespace plumbline::gpu {
namespace {

constexpr std::uint32_t kPoison = 0xFFFFDEADu;  // a NaN no product makes
constexpr int kEpilogueThreads = 256;

/// One 16-byte piece of a key per thread; unmapped and padding keys become zero.
__global__ void gather_keys_kernel(PagedInputs inputs, std::int32_t request, std::int32_t columns,
                                   std::int32_t padded_columns, uint4* keys, std::uint8_t* mapped,
                                   TraceTag tag) {
  record_hit(tag, dispatch::Kernel::gather_keys);
  constexpr std::int32_t kPieces = kIndexDim / 8;
  const std::int64_t at = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (at >= std::int64_t{padded_columns} * kPieces) return;
  const std::int32_t column = static_cast<std::int32_t>(at / kPieces);
  const std::int32_t piece = static_cast<std::int32_t>(at % kPieces);
  const std::int64_t page = column < columns ? physical_page(inputs, request, column / inputs.page_size) : -1;
  uint4 value{};
  if (page >= 0) {
    const std::int64_t key = page * inputs.page_size + column % inputs.page_size;
    value = static_cast<const uint4*>(inputs.key_cache)[key * kPieces + piece];
  }
  keys[at] = value;
  if (piece == 0) mapped[column] = page >= 0;
}

__global__ void poison_kernel(std::uint32_t* product, std::int64_t count, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::poison_product);
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    product[i] = kPoison;
  }
}

__global__ void count_poison_kernel(const std::uint32_t* product, std::int64_t count,
                                    unsigned long long* survivors, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::count_poison);
  unsigned long long left = 0;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    left += product[i] == kPoison;
  }
  if (left > 0) atomicAdd(survivors, left);
}

struct Epilogue {
  const float* product;  // [rows · 4, product_stride]
  std::int64_t product_stride;
  const std::uint8_t* mapped;  // from the tile's first column
  const std::int32_t* visible;
  std::int32_t first_column, width;
  float* scores;  // from the tile's first column
  std::int64_t row_stride;
  unsigned long long* survivors;
};

template <bool kPoisoned>
__global__ void __launch_bounds__(kEpilogueThreads) score_epilogue_kernel(Epilogue e, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::score_epilogue);
  const std::int64_t row = blockIdx.x;
  const std::int32_t column = static_cast<std::int32_t>((blockIdx.y * kEpilogueThreads + threadIdx.x) * 4);
  if (column >= e.width) return;
  float4 heads[kIndexHeads];
#pragma unroll
  for (int h = 0; h < kIndexHeads; ++h) {
    heads[h] =
        *reinterpret_cast<const float4*>(e.product + (row * kIndexHeads + h) * e.product_stride + column);
  }
  if (kPoisoned) {
    unsigned long long left = 0;
    for (const float4& h : heads) {
      left += (__float_as_uint(h.x) == kPoison) + (__float_as_uint(h.y) == kPoison) +
              (__float_as_uint(h.z) == kPoison) + (__float_as_uint(h.w) == kPoison);
    }
    if (left > 0) atomicAdd(e.survivors, left);
  }
  float scores[4] = {block_score(heads[0].x, heads[1].x, heads[2].x, heads[3].x),
                     block_score(heads[0].y, heads[1].y, heads[2].y, heads[3].y),
                     block_score(heads[0].z, heads[1].z, heads[2].z, heads[3].z),
                     block_score(heads[0].w, heads[1].w, heads[2].w, heads[3].w)};
  const std::uint32_t mapped = *reinterpret_cast<const std::uint32_t*>(e.mapped + column);
  const std::int32_t live = e.visible[row] - e.first_column - column;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i >= live || (mapped >> (8 * i) & 0xFFu) == 0) scores[i] = -INFINITY;
  }
  float* out = e.scores + row * e.row_stride + column;
  if (column + 4 <= e.width && (reinterpret_cast<std::uintptr_t>(out) & 15u) == 0) {
    __stcs(reinterpret_cast<float4*>(out), make_float4(scores[0], scores[1], scores[2], scores[3]));
  } else {
    for (int i = 0; i < 4 && column + i < e.width; ++i) out[i] = scores[i];
  }
}

}  // namespace

void CublasScorer::gather(const PagedInputs& inputs, std::int32_t request, std::int32_t columns,
                          cudaStream_t stream, TraceTag tag) {
  if (columns > inputs.capacity()) throw Unsupported("score.cublas: more columns than the page table maps");
  columns_ = columns;
  padded_columns_ = (columns + 7) / 8 * 8;
  keys_.reserve(std::int64_t{padded_columns_} * kIndexDim);
  mapped_.reserve(padded_columns_);
  const std::int64_t pieces = std::int64_t{padded_columns_} * (kIndexDim / 8);
  if (pieces == 0) return;
  gather_keys_kernel<<<static_cast<unsigned>((pieces + 255) / 256), 256, 0, stream>>>(
      inputs, request, columns, padded_columns_, reinterpret_cast<uint4*>(keys_.data()), mapped_.data(), tag);
  PLUMBLINE_CHECK_LAUNCH(gather_keys_kernel);
}

void CublasScorer::poison_product(std::int64_t count, cudaStream_t stream, TraceTag tag) {
  if (!survivors_cleared_) {
    PLUMBLINE_CHECK(cudaMemsetAsync(survivors_.data(), 0, survivors_.bytes(), stream));
    survivors_cleared_ = true;
  }
  poison_kernel<<<1024, 256, 0, stream>>>(reinterpret_cast<std::uint32_t*>(product_.data()), count, tag);
  PLUMBLINE_CHECK_LAUNCH(poison_kernel);
}

void CublasScorer::multiply_tile(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows,
                                 std::int32_t first, std::int32_t width, std::int64_t stride,
                                 cudaStream_t stream) {
  const cudaDataType type = inputs.type == KeyType::kFloat16 ? CUDA_R_16F : CUDA_R_16BF;
  const auto* query = static_cast<const std::uint16_t*>(inputs.query) + first_row * kIndexHeads * kIndexDim;
  const float one = 1, zero = 0;
  PLUMBLINE_CHECK(cublasGemmEx(
      cublas_.on(stream), CUBLAS_OP_T, CUBLAS_OP_N, width, static_cast<int>(rows * kIndexHeads), kIndexDim,
      &one, keys_.data() + std::int64_t{first} * kIndexDim, type, kIndexDim, query, type, kIndexDim, &zero,
      product_.data(), CUDA_R_32F, static_cast<int>(stride), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void CublasScorer::reduce_tile(std::int64_t rows, std::int32_t first, std::int32_t width, std::int64_t stride,
                               const std::int32_t* visible, float* scores, std::int64_t row_stride,
                               bool poison, cudaStream_t stream, TraceTag tag) {
  const Epilogue epilogue{product_.data(), stride,     mapped_.data() + first, visible, first, width,
                          scores + first,  row_stride, survivors_.data()};
  const dim3 grid(static_cast<unsigned>(rows),
                  static_cast<unsigned>((width + 4 * kEpilogueThreads - 1) / (4 * kEpilogueThreads)));
  if (poison) {
    score_epilogue_kernel<true><<<grid, kEpilogueThreads, 0, stream>>>(epilogue, tag);
  } else {
    score_epilogue_kernel<false><<<grid, kEpilogueThreads, 0, stream>>>(epilogue, tag);
  }
  PLUMBLINE_CHECK_LAUNCH(score_epilogue_kernel);
}

void CublasScorer::score(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows,
                         const std::int32_t* visible, float* scores, std::int64_t row_stride, bool poison,
                         cudaStream_t stream, TraceTag tag) {
  score_in_tiles(inputs, first_row, rows, product_tile_columns(rows, columns_, tile_bytes_), visible, scores,
                 row_stride, poison, stream, tag);
}

void CublasScorer::score_in_tiles(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows,
                                  std::int64_t tile_columns, const std::int32_t* visible, float* scores,
                                  std::int64_t row_stride, bool poison, cudaStream_t stream, TraceTag tag) {
  if (rows == 0 || columns_ == 0) return;
  const auto tile = static_cast<std::int32_t>(std::min<std::int64_t>(tile_columns, padded_columns_));
  if (tile < 1 || tile % 8 != 0) throw Unsupported("score.cublas: a tile takes a multiple of 8 columns");
  product_.reserve(rows * kIndexHeads * tile);
  for (std::int32_t first = 0; first < columns_; first += tile) {
    if (poison) poison_product(rows * kIndexHeads * tile, stream, tag);
    multiply_tile(inputs, first_row, rows, first, std::min(tile, padded_columns_ - first), tile, stream);
    reduce_tile(rows, first, std::min(tile, columns_ - first), tile, visible, scores, row_stride, poison,
                stream, tag);
  }
}

ProductPlane CublasScorer::multiply(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows,
                                    bool poison, cudaStream_t stream, TraceTag tag) {
  const std::int64_t count = rows * kIndexHeads * padded_columns_;
  product_.reserve(count);
  if (count > 0) {
    if (poison) poison_product(count, stream, tag);
    multiply_tile(inputs, first_row, rows, 0, padded_columns_, padded_columns_, stream);
    if (poison) {
      count_poison_kernel<<<1024, 256, 0, stream>>>(reinterpret_cast<const std::uint32_t*>(product_.data()),
                                                    count, survivors_.data(), tag);
      PLUMBLINE_CHECK_LAUNCH(count_poison_kernel);
    }
  }
  return {product_.data(), padded_columns_, mapped_.data()};
}

void CublasScorer::reduce(std::int64_t rows, const std::int32_t* visible, float* scores,
                          std::int64_t row_stride, cudaStream_t stream, TraceTag tag) {
  if (rows == 0 || columns_ == 0) return;
  reduce_tile(rows, 0, columns_, padded_columns_, visible, scores, row_stride, false, stream, tag);
}

unsigned long long CublasScorer::poison_survivors(cudaStream_t stream) const {
  if (!survivors_cleared_) return 0;
  unsigned long long count = 0;
  PLUMBLINE_CHECK(cudaMemcpyAsync(&count, survivors_.data(), sizeof count, cudaMemcpyDeviceToHost, stream));
  PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
  return count;
}

}  // namespace plumbline::gpu

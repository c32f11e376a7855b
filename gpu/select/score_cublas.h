#pragma once

#include "gpu/runtime/cublas_handle.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.h"
#include "gpu/trace/trace_tag.h"

#include <cuda_runtime_api.h>

namespace plumbline::gpu {

/// Products of some rows with all gathered keys: product[(r · 4 + h) · stride + c], behind the columns up to
/// 7 zeros.
struct ProductPlane {
  const float* product = nullptr;
  std::int64_t stride = 0;               ///< elements, a multiple of 8
  const std::uint8_t* mapped = nullptr;  ///< [stride], 0 behind unmapped pages
};

/// Columns of one product tile: rows·4 float32 per column within `tile_bytes`, a multiple of 256, at least
/// 256, at most `columns` rounded up to a multiple of 8.
std::int32_t product_tile_columns(std::int64_t rows, std::int32_t columns, std::int64_t tile_bytes);

/// Scores of one request by cuBLAS: its keys are gathered into logical order once, multiplied with the
/// queries tile by tile (16-bit operands, float32 accumulation and output, order unspecified by the library),
/// and each tile becomes scores: the ReLU'd heads summed in order 0 … 3, divided by sqrt(128), -inf at and
/// behind the visible count and behind unmapped pages. Every column of the score rows is written.
class CublasScorer {
 public:
  explicit CublasScorer(std::int64_t tile_bytes = std::int64_t{32} << 20)
      : tile_bytes_(tile_bytes), survivors_(1) {}

  /// Gathers the first `columns` keys of `request`; score() uses them until the next call.
  void gather(const PagedInputs& inputs, std::int32_t request, std::int32_t columns, cudaStream_t stream,
              TraceTag tag = {});

  /// scores[r · row_stride + c] for the rows [first_row, first_row + rows) and all gathered columns.
  /// `visible` and `scores` point to first_row's entries. With `poison`, each product tile is filled with a
  /// marked NaN before the product, and marks that are left are counted.
  void score(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows,
             const std::int32_t* visible, float* scores, std::int64_t row_stride, bool poison,
             cudaStream_t stream, TraceTag tag = {});
  /// The same in tiles of `tile` columns, a multiple of 8 or at least the gathered columns.
  void score_in_tiles(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows, std::int64_t tile,
                      const std::int32_t* visible, float* scores, std::int64_t row_stride, bool poison,
                      cudaStream_t stream, TraceTag tag = {});

  /// The rows' products with every gathered key, kept until the next call that multiplies. They take
  /// rows · 16 bytes a column. Poisoned like score(), and what is left counted.
  ProductPlane multiply(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows, bool poison,
                        cudaStream_t stream, TraceTag tag = {});
  /// The scores of the last multiply() of `rows` rows, as score() writes them.
  void reduce(std::int64_t rows, const std::int32_t* visible, float* scores, std::int64_t row_stride,
              cudaStream_t stream, TraceTag tag = {});

  /// Product elements that kept their mark, over all poisoned calls; synchronises.
  unsigned long long poison_survivors(cudaStream_t stream) const;

 private:
  void poison_product(std::int64_t count, cudaStream_t stream, TraceTag tag);
  void multiply_tile(const PagedInputs& inputs, std::int64_t first_row, std::int64_t rows, std::int32_t first,
                     std::int32_t width, std::int64_t stride, cudaStream_t stream);
  void reduce_tile(std::int64_t rows, std::int32_t first, std::int32_t width, std::int64_t stride,
                   const std::int32_t* visible, float* scores, std::int64_t row_stride, bool poison,
                   cudaStream_t stream, TraceTag tag);

  CublasHandle cublas_;
  std::int64_t tile_bytes_;
  std::int32_t columns_ = 0, padded_columns_ = 0;
  DeviceBuffer<std::uint16_t> keys_;   // [padded columns, 128]
  DeviceBuffer<std::uint8_t> mapped_;  // [padded columns]
  DeviceBuffer<float> product_;        // [rows · 4, tile]
  DeviceBuffer<unsigned long long> survivors_;
  bool survivors_cleared_ = false;
};

}  // namespace plumbline::gpu

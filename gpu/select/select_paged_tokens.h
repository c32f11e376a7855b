#pragma once

#include "gpu/runtime/stream.h"
#include "gpu/select/paged_inputs.h"
#include "gpu/select/score_cublas.h"

namespace plumbline::gpu {

enum class ScoreRoute { kPaged, kCublas, kHopper };
/// kProducts: the exact top-k straight from the cuBLAS route's products; scores are written only where asked
/// for.
enum class TopkRoute { kLexicographic, kPersistent, kProducts };

struct SelectOptions {
  ScoreRoute score = ScoreRoute::kPaged;
  TopkRoute topk = TopkRoute::kLexicographic;
  std::int32_t block_topk = 512;
  std::int64_t score_bytes = std::int64_t{1} << 30;  ///< float32 scores held at once; rows are chunked to it
  std::int64_t product_bytes = std::int64_t{2} << 30;  ///< kProducts: the same of products
  bool poison_products = false;                        ///< see CublasScorer
  Trace trace = {};                                    ///< where the kernels leave their tags
};

/// Rows whose scores are held at once: as many as fit `score_bytes`, at least one.
std::int64_t rows_per_chunk(std::int64_t rows, std::int64_t row_stride, std::int64_t score_bytes);

/// The whole selection of ROUTES.md §5 on device pointers: visible counts, scores, exact top-k, expansion.
class PagedTokenSelector {
 public:
  /// Writes tokens [rows, k·ratio + ratio − 1] and, where not null, blocks [rows, k] and scores
  /// [rows, columns] (row stride `columns`; defined below a row's visible count). `columns` bounds the blocks
  /// looked at, at most the page table's capacity. The cuBLAS and Hopper routes take exactly one request, and
  /// kProducts the cuBLAS route, else Unsupported. Everything runs on `stream`; buffers grow on first use, so
  /// warm up before a capture.
  void select(const PagedInputs& inputs, const SelectOptions& options, std::int32_t columns,
              std::int32_t* tokens, std::int32_t* blocks, float* scores, cudaStream_t stream);

  unsigned long long poison_survivors(cudaStream_t stream) const { return cublas_.poison_survivors(stream); }

 private:
  void select_from_products(const PagedInputs& inputs, const SelectOptions& options, std::int32_t columns,
                            std::int32_t* blocks, float* scores, cudaStream_t stream);

  CublasScorer cublas_;
  DeviceBuffer<float> scores_;
  DeviceBuffer<std::int32_t> visible_, blocks_;
};

}  // namespace plumbline::gpu

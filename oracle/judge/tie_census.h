#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Published candidate buffer of a top-k kernel and the coarse radix key that fills it (TOPK.md §2, T1).
struct PublishedBuffer {
  std::string kernel;     ///< "vllm persistent <= 8192"
  int coarse_bits = 8;    ///< leading bits of the order-preserving fp16 key
  std::int64_t capacity;  ///< candidates it can hold
  std::int64_t min_blocks, max_blocks;  ///< row lengths it serves, inclusive
};
const std::vector<PublishedBuffer>& published_buffers();

/// Census of one selection: how close to a tie its rows are. "Exact" fields speak of exact scores and are
/// absent (has_exact false) where a file has no query and key; radix fields speak of the float32 scores.
struct TieCensus {
  std::int64_t rows = 0;
  std::int64_t rows_selecting = 0;  ///< visible > k
  bool has_exact = false;
  std::int64_t rows_tied_at_cutoff = 0;    ///< exact where has_exact, else on the recorded scores
  std::int64_t rows_zero_plateau = 0;      ///< k-th score is zero and tied
  std::int64_t largest_tie_class = 0;
  bool has_scores = false;
  std::int64_t min_margin_ulp = -1;        ///< smallest nonzero float32 ULP gap k-th to (k+1)-th; -1 none
  std::int64_t median_margin_ulp = -1;
  struct Overflow {
    std::string kernel;
    std::int64_t capacity = 0;
    std::int64_t rows = 0;         ///< rows whose cutoff bin holds more candidates than fit
    std::int64_t worst_bin = 0;
  };
  std::vector<Overflow> overflows;  ///< one per published buffer that serves any row here
};

}  // namespace plumbline

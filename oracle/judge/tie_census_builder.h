#pragma once

#include "oracle/judge/tie_census.h"
#include "reference/select/certified_select.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// How close to a tie one row is on float32 scores.
struct ScoreCensus {
  bool tied_at_cutoff = false;
  bool zero_plateau = false;     ///< tied, and the k-th score is zero
  std::int64_t tie_class = 0;    ///< visible blocks tied with the k-th
  std::int64_t margin_ulp = -1;  ///< float32 values from the (k+1)-th to the k-th; -1 where a NaN is involved
  std::vector<std::int64_t> bins;  ///< per published buffer: blocks in the coarse bin that holds the cutoff
};

/// Order-preserving 16-bit key of a score's fp16 value (nearest, ties to even); larger = better. Every NaN
/// counts as positive, as CUDA's conversion drops its sign (TOPK.md §2, T7).
std::uint16_t coarse_key(float score);

/// Census of a row that selects: `scores` are those of its visible blocks, more than k >= 1.
ScoreCensus score_census(std::span<const float> scores, std::int32_t k);

/// Collects rows in any order; the result does not depend on it.
class TieCensusBuilder {
 public:
  void add_row(std::int64_t visible, std::int32_t k);
  void add_exact(const CertifiedRow& row);  ///< ignored when it does not select
  void add_scores(std::int64_t visible, const ScoreCensus& row);
  TieCensus finish() const;

 private:
  struct Ties {
    std::int64_t at_cutoff = 0, zero_plateau = 0, largest_class = 0;
    void add(bool tied, bool zero, std::int64_t size);
  };
  std::int64_t rows_ = 0, rows_selecting_ = 0;
  bool has_exact_ = false, has_scores_ = false;
  Ties exact_, recorded_;
  std::vector<std::int64_t> exact_margins_, recorded_margins_;
  struct Buffer {
    bool serves = false;
    std::int64_t rows = 0, worst_bin = 0;
  };
  std::vector<Buffer> buffers_ = std::vector<Buffer>(published_buffers().size());
};

}  // namespace plumbline

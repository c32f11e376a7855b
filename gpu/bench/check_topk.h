#pragma once

#include "gpu/bench/report.h"

namespace plumbline::gpu::bench {

/// What a run judges and times.
struct CheckOptions {
  std::int64_t random_rows = 100000;  ///< rows of the random sweep
  std::int64_t fused_rows = 50000;    ///< rows of the fused routes' random sweep
  bool times = true;
  bool reduced = false;  ///< a small set, for compute-sanitizer
  std::uint64_t seed = 20261130;
};

/// The selectors on given scores: every plane, edge lengths, strides, k; proof, repeats, host sample; times.
void check_topk(Report& report, const CheckOptions& options);

/// The scorers against float64 sums, the routes against each other, and the whole call.
void check_scores(Report& report, const CheckOptions& options);

/// Times of the scorers and of whole selections.
void time_scores(Report& report);

}  // namespace plumbline::gpu::bench

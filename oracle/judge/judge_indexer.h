#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fixtures/capture/model_capture.h"
#include "oracle/judge/indexer_scores.h"
#include "oracle/judge/tie_census.h"
#include "oracle/judge/verdict.h"
#include "oracle/status.h"
#include "reference/model/indexer_config.h"
#include "reference/model/rounding_profile.h"

namespace plumbline {

/// Verification of every indexer call of a model capture from its index projections: our norm, RoPE, pooling,
/// exact scores and selection against the recorded scores and blocks. A call is a query with a complete
/// block.
struct IndexerReport {
  std::string case_name;
  std::string profile;      ///< rounding profile the engine is taken to follow
  std::string error_model;  ///< of the bound on scores and of the `rounding` verdict
  std::int64_t forwards = 0, sparse_layers = 0;
  std::int64_t rows = 0;           ///< calls judged
  std::int64_t dead_tokens = 0;    ///< padded tokens left out, per layer and forward
  ScoreComparison scores;          ///< worst_row counts calls over the whole capture
  std::int64_t lengths_wrong = 0;  ///< calls over another number of blocks than are visible
  std::int64_t raw_keys_compared = 0, raw_keys_different = 0;  ///< elements of state/…/indexer_keys
  std::int64_t normed_compared = 0,
               normed_beyond = 0;  ///< elements of taps/…q_layernorm/out against its bound
  double normed_largest_share = 0;
  VerdictCounts selector, end_to_end;  ///< on the recorded scores; on exact scores
  std::int64_t rows_without_exact_score = 0;
  TieCensus census;                ///< sums over calls; margins and overflows are left out
  std::vector<Witness> witnesses;  ///< `row` counts calls over the whole capture; `what` says where it is
  std::int64_t witnesses_left_out = 0;
  Status status = Status::pass;
  std::string reason;  ///< why the status is not PASS, one line
};

struct IndexerOptions {
  const RoundingProfile* profile = nullptr;  ///< null: hf_cuda or hf_cpu, by the capture's producer
  std::int64_t max_witnesses = 16;
  int threads = 0;
};

/// The preset a capture's producer names. Throws InputError when it names neither "cuda" nor "cpu".
const RoundingProfile& profile_of(const CaptureInfo& info);

/// Status: FAIL for a score or norm beyond its bound, a wrong length, a raw key that is not the projection's,
/// or a verdict that breaks `within_error`; VACUOUS when no row selects; else PASS. Throws InputError for a
/// capture whose parts do not fit one another.
IndexerReport judge_indexer(const ModelCapture& capture, const IndexerOptions& options = {});

}  // namespace plumbline

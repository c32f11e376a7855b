#pragma once

#include "oracle/replay/recorded_forward.h"
#include "reference/model/model_config.h"
#include "reference/model/qsa_attention.h"

#include <string>
#include <vector>

namespace plumbline {

/// How often a capture's choice of blocks was another than the canonical one.
struct SelectionFollowing {
  /// Every recorded set of as many visible blocks is followed, whatever its scores: a conditioned comparison.
  bool conditioned = false;
  std::int64_t rows = 0, followed = 0, parted = 0;
  std::string first_parted;
};

/// The blocks one forward call selected. Its rows are laid out by sparse layer, then batch row, then query
/// with a complete block.
class RecordedSelection {
 public:
  RecordedSelection(const RecordedForward& forward, const ModelConfig& config);

  /// The blocks one query attends, in their recorded order; none before the first complete block. `position`
  /// counts the sequence's live tokens. Throws MissingDataset where the capture recorded no selection.
  std::vector<std::int32_t> of_query(std::int64_t layer, const LiveTokens& live, std::int64_t position) const;

  /// The recorded set where it differs from the canonical one in blocks of equal exact score alone, or in a
  /// conditioned comparison; else the canonical one. `row` counts the sequence's queries with a complete
  /// block.
  std::vector<std::int32_t> follow(std::int64_t layer, const LiveTokens& live, std::int64_t row,
                                   const std::vector<std::int32_t>& canonical,
                                   const QsaLayer::SameScore& same_score, SelectionFollowing& tally) const;

 private:
  std::int64_t rows_of(const LiveTokens& live) const;
  std::vector<std::int32_t> blocks_of_row(std::int64_t layer, const LiveTokens& live,
                                          std::int64_t index) const;

  const RecordedForward* forward_;
  const ModelConfig* config_;
  const Tensor* blocks_ = nullptr;  // null where the capture recorded none
};

}  // namespace plumbline

#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plumbline::selftest {

/// The numbers of a selection, decoded, and the pair that a score is asked of.
struct ScorePair {
  std::span<const float> queries;  ///< [rows, heads, dim]
  std::span<const float> keys;     ///< [blocks, dim]
  std::int64_t rows = 0, blocks = 0, heads = 0, dim = 0;
  std::int64_t row = 0, block = 0;

  float query(std::int64_t head, std::int64_t d) const { return query_of(row, head, d); }
  float query_of(std::int64_t r, std::int64_t head, std::int64_t d) const {
    return queries[static_cast<std::size_t>((r * heads + head) * dim + d)];
  }
  float key(std::int64_t d) const { return key_of(block, d); }
  float key_of(std::int64_t b, std::int64_t d) const { return keys[static_cast<std::size_t>(b * dim + d)]; }
  float scale() const;  ///< 1 / sqrt(dim)
};

/// Σ_d q·k of a head in float32, d ascending.
float head_dot(const ScorePair& pair, std::int64_t head);
/// max(0, x) that keeps NaN.
float relu(float x);
/// Σ_h relu(head_dot) · scale.
float honest_score(const ScorePair& pair);

/// A scorer with one fault in it.
struct ScorerFault {
  std::string id, hazard, about, check;
  std::function<float(const ScorePair&)> score;
  std::int64_t visible_shift = 0;  ///< blocks more than a row may see
};

std::vector<ScorerFault> scorer_faults();

/// Scores with `fault` and selects canonically on them. Refuses inputs without query and key.
class FaultyScorer final : public SelectSubject {
 public:
  explicit FaultyScorer(ScorerFault fault) : fault_(std::move(fault)) {}
  std::string name() const override { return "mutant"; }
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

 private:
  ScorerFault fault_;
};

}  // namespace plumbline::selftest

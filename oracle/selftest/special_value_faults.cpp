#include "fixtures/small_float.h"
#include "oracle/selftest/row_fault.h"
#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Selectors that take NaN, infinities, zeros or the smallest numbers for something else.
namespace plumbline::selftest {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Ranks what `seen` makes of each score.
Blocks best_as(const ScoreRow& row, const std::function<float(float)>& seen) {
  return best_by(row, [&](std::int64_t block) -> std::uint64_t {
    return score_key(seen(row.scores[static_cast<std::size_t>(block)]));
  });
}

/// Only blocks whose score is `eligible` may be taken.
Blocks best_among(const ScoreRow& row, const std::function<bool(float)>& eligible) {
  if (row.n() <= row.k) return honest(row);
  Blocks candidates;
  for (std::int32_t block = 0; block < row.n(); ++block)
    if (eligible(row.scores[static_cast<std::size_t>(block)])) candidates.push_back(block);
  return best_of(row, candidates, [&](std::int64_t block) -> std::uint64_t {
    return score_key(row.scores[static_cast<std::size_t>(block)]);
  });
}

Blocks nan_lowest(const ScoreRow& row, Workspace&) {
  return best_as(row, [](float score) { return std::isnan(score) ? -kInfinity : score; });
}

Blocks nan_highest(const ScoreRow& row, Workspace&) {
  return best_as(row, [](float score) { return std::isnan(score) ? std::abs(score) : score; });
}

Blocks nan_written_as_a_block(const ScoreRow& row, Workspace&) {
  Blocks blocks = honest(row);
  if (row.n() > row.k)
    for (std::int32_t& block : blocks)
      if (std::isnan(row.scores[static_cast<std::size_t>(block)])) block = 0x7FC00000;
  return blocks;
}

Blocks minus_infinity_left_out(const ScoreRow& row, Workspace&) {
  return best_among(row, [](float score) { return score > -kInfinity || std::isnan(score); });
}

Blocks zeros_left_out(const ScoreRow& row, Workspace&) {
  return best_among(row, [](float score) { return score != 0; });
}

Blocks denormals_flushed(const ScoreRow& row, Workspace&) {
  return best_as(row, [](float score) { return std::abs(score) < 0x1p-126F ? 0.0F : score; });
}

Blocks compared_as_fp16(const ScoreRow& row, Workspace&) {
  return best_as(row, [](float score) {
    return std::isnan(score) ? score : static_cast<float>(round_to(DType::float16, score));
  });
}

Blocks signed_bits(const ScoreRow& row, Workspace&) {
  return best_by(row, [&](std::int64_t block) -> std::uint64_t {
    return std::bit_cast<std::uint32_t>(row.scores[static_cast<std::size_t>(block)]);
  });
}

}  // namespace

std::vector<RowFault> special_value_faults() {
  return {
      {"nan_lowest", "TOPK T7", "NaN of either sign ranks below everything", "value", nan_lowest},
      {"nan_highest", "TOPK T7", "NaN of either sign ranks above everything", "value", nan_highest},
      {"nan_written_as_a_block", "CASES B3", "a winning NaN's bits are written as its block", "structure",
       nan_written_as_a_block},
      {"minus_infinity_left_out", "TOPK T8", "-inf may not fill a slot", "structure",
       minus_infinity_left_out},
      {"zeros_left_out", "TOPK T5", "a zero may not fill a slot", "structure", zeros_left_out},
      {"denormals_flushed", "TOPK T10", "subnormal scores count as zero", "value", denormals_flushed},
      {"compared_as_fp16", "TOPK T11", "scores are rounded to fp16 before they are compared", "value",
       compared_as_fp16},
      {"bits_without_a_sign_rule", "TOPK T6", "the score's bits are ranked as an unsigned number", "value",
       signed_bits},
  };
}

}  // namespace plumbline::selftest

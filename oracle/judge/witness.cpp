#include "oracle/judge/witness.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

Witness witness_of(std::int64_t row, const RowVerdict& verdict, const char* judgement) {
  Witness witness;
  witness.row = row;
  witness.verdict = verdict.verdict;
  witness.judgement = judgement;
  witness.claimed_block = verdict.claimed_block;
  witness.missed_block = verdict.missed_block;
  return witness;
}

std::string hexadecimal(float score) { return fmt::format("{:a}", score); }

std::string tie_sentence(const RowVerdict& verdict) {
  if (verdict.missed_block < verdict.claimed_block) {
    return fmt::format(
        "blocks {} and {} have equal scores: the tie rule takes the lower one, the row took {}",
        verdict.missed_block, verdict.claimed_block, verdict.claimed_block);
  }
  return fmt::format("block {} was taken in place of block {}, which has an equal score",
                     verdict.claimed_block, verdict.missed_block);
}

}  // namespace

Witness structural_witness(std::int64_t row, const RowVerdict& verdict, const char* judgement) {
  Witness witness = witness_of(row, verdict, judgement);
  witness.what = verdict.fault;
  return witness;
}

Witness selector_witness(std::int64_t row, const RowVerdict& verdict, std::span<const float> scores) {
  if (verdict.verdict == Verdict::structural) return structural_witness(row, verdict, "selector");
  Witness witness = witness_of(row, verdict, "selector");
  const float claimed = scores[static_cast<std::size_t>(verdict.claimed_block)];
  const float missed = scores[static_cast<std::size_t>(verdict.missed_block)];
  witness.claimed_score = hexadecimal(claimed);
  witness.missed_score = hexadecimal(missed);
  const double gap =
      static_cast<double>(missed) - static_cast<double>(claimed);  // may be rounded: no "exact" form
  witness.gap_value = std::abs(gap);
  witness.gap = fmt::format("{:a}", gap);
  witness.what =
      verdict.verdict == Verdict::tie_only
          ? tie_sentence(verdict)
          : fmt::format("block {} was left out although its recorded score {} ranks above {} of block {}",
                        verdict.missed_block, witness.missed_score, witness.claimed_score,
                        verdict.claimed_block);
  return witness;
}

Witness score_kind_witness(std::int64_t row, std::int64_t block, float score, ScoreKind kind) {
  RowVerdict verdict;
  verdict.verdict = Verdict::value_error;
  verdict.claimed_block = block;
  Witness witness = witness_of(row, verdict, "end_to_end");
  witness.claimed_score = hexadecimal(score);
  witness.what = fmt::format("block {} has the recorded score {}, which its query and key make {}", block,
                             witness.claimed_score, name_of(kind));
  return witness;
}

Witness exact_witness(std::int64_t row, const RowVerdict& verdict, const ExactRow& exact) {
  if (verdict.verdict == Verdict::structural) return structural_witness(row, verdict, "end_to_end");
  Witness witness = witness_of(row, verdict, "end_to_end");
  const bool claimed_valid = exact.selector->valid(verdict.claimed_block);
  const bool missed_valid = exact.selector->valid(verdict.missed_block);
  const ExactScore claimed = claimed_valid ? exact.score(verdict.claimed_block) : ExactScore{};
  const ExactScore missed = missed_valid ? exact.score(verdict.missed_block) : ExactScore{};
  witness.claimed_score = claimed_valid ? claimed.to_string() : "-inf";
  witness.missed_score = missed_valid ? missed.to_string() : "-inf";
  if (claimed_valid != missed_valid) {
    witness.gap = "inf";
    witness.gap_value = INFINITY;
    witness.what =
        fmt::format("block {} lies behind an unmapped page (-inf) and was taken, block {} was left out",
                    verdict.claimed_block, verdict.missed_block);
    return witness;
  }
  const ExactScore gap = missed - claimed;
  witness.gap = gap.to_string();
  witness.gap_value = gap.abs().to_double();
  if (verdict.verdict == Verdict::tie_only) {
    witness.what = tie_sentence(verdict);
    return witness;
  }
  witness.allowed = exact.error_bound(verdict.claimed_block) + exact.error_bound(verdict.missed_block);
  witness.what =
      verdict.verdict == Verdict::rounding
          ? fmt::format("block {} beats block {} by {:.3g}; rounding of their scores may account for {:.3g}",
                        verdict.missed_block, verdict.claimed_block, witness.gap_value, witness.allowed)
          : fmt::format(
                "block {} was left out although it beats block {} by {:.3g}, of which rounding explains "
                "{:.3g}",
                verdict.missed_block, verdict.claimed_block, witness.gap_value, witness.allowed);
  return witness;
}

bool comes_first(Verdict verdict, std::int64_t row, const Witness& other) {
  return verdict != other.verdict ? verdict > other.verdict : row < other.row;
}

bool WitnessList::wants(Verdict verdict, std::int64_t row) const {
  if (!needs_witness(verdict) || limit_ <= 0) return false;
  return static_cast<std::int64_t>(witnesses_.size()) < limit_ ||
         comes_first(verdict, row, witnesses_.back());
}

void WitnessList::add(Witness witness) {
  const auto place = std::find_if(witnesses_.begin(), witnesses_.end(), [&](const Witness& kept) {
    return comes_first(witness.verdict, witness.row, kept);
  });
  witnesses_.insert(place, std::move(witness));
  if (static_cast<std::int64_t>(witnesses_.size()) > limit_) witnesses_.pop_back();
}

}  // namespace plumbline

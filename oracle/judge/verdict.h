#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// Verdict of one selected row, best to worst; the worst that applies is given (DESIGN.md, Words).
enum class Verdict : std::uint8_t {
  canonical,    ///< ascending, ties to the lower block, -1 padded: byte for byte the canonical row
  order_only,   ///< the canonical set in another order
  tie_only,     ///< another set, but what was swapped has equal scores
  rounding,     ///< every swapped pair's exact gap lies within the two error bounds (end to end only)
  value_error,  ///< a better block was left out
  structural,   ///< duplicate, out of range, short, -1 inside, unwritten
};
constexpr int kVerdicts = 6;
std::string_view name_of(Verdict verdict);

/// Rows per verdict, indexed by the enumerator.
struct VerdictCounts {
  std::array<std::int64_t, kVerdicts> rows{};
  void add(Verdict verdict) { ++rows[static_cast<std::size_t>(verdict)]; }
  std::int64_t operator[](Verdict verdict) const { return rows[static_cast<std::size_t>(verdict)]; }
  std::int64_t total() const;
};

/// Evidence for a verdict other than canonical and order_only: one swapped pair (or the offending slot).
struct Witness {
  std::int64_t row = 0;
  Verdict verdict = Verdict::canonical;
  std::string judgement;            ///< "selector" or "end_to_end" ("tokens" for kind C)
  std::int64_t claimed_block = -1;  ///< in the claimed set, not in the canonical one (structural: the bad entry)
  std::int64_t missed_block = -1;   ///< in the canonical set, not in the claimed one
  std::string claimed_score, missed_score, gap;  ///< exact (hexadecimal) where exact
  double gap_value = 0, allowed = 0;             ///< |gap| and E_i + E_j (0 where no bound applies)
  std::string what;                              ///< one sentence
};

}  // namespace plumbline

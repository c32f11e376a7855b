#pragma once

#include "oracle/summation/sum_box.h"
#include "reference/summation/sum_tree.h"

#include <optional>
#include <string>

namespace plumbline {

enum class CutKind : std::uint8_t {
  nearest_even,  ///< to nearest, ties to even
  nearest_away,  ///< to nearest, ties away from zero
  toward_zero,
  other,
};
std::string_view name_of(CutKind kind);

/// How a box's additions round, found by terms that a known tree brings together.
struct AccumulatorFacts {
  std::int32_t fused_terms =
      0;  ///< children of the widest step, the accumulator among them; 2: none is fused
  /// Bits behind the leading one that a step's result keeps: 23 in float32.
  std::optional<int> result_bits;
  std::optional<CutKind> result_cut;
  /// Bits below the largest term that a fused step keeps while it adds.
  std::optional<int> aligned_bits;
  std::optional<CutKind> aligned_cut;
  int most_bits = 0;  ///< that could have been seen; a figure that equals it says "at least"

  bool operator==(const AccumulatorFacts&) const = default;
};
AccumulatorFacts probe_accumulator(SumBox& box, const SumTree& tree);

/// "float32 results to nearest, ties to even", "17 terms at once, …".
std::string describe(const AccumulatorFacts& facts);

}  // namespace plumbline

#pragma once

#include "reference/summation/sum_tree.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// A written order for any number of terms.
struct SumOrder {
  enum class Kind : std::uint8_t {
    sequential,  ///< ((x0 + x1) + x2) + …
    pairwise,    ///< halves, the first one taking the odd term (reference/numeric/ordered_sum.h)
    lanes,       ///< lane l adds x_l, x_{l+width}, …; halves of the lanes are folded (the same header)
    strided,     ///< the same lanes, added one after another
    blocks,      ///< every `width` neighbours one after another, then the blocks one after another
    fused,       ///< an accumulator and `width` neighbours at once: exact, one rounding a step
  };
  Kind kind = Kind::sequential;
  std::int32_t width = 1;  ///< of all but the first two; of lanes a power of two

  bool operator==(const SumOrder&) const = default;
};

/// "sequential", "lanes:16", …
std::string name_of(const SumOrder& order);
/// Throws InputError for what is no order.
SumOrder sum_order_from(std::string_view name);

/// The order's tree over terms 0 … terms-1.
SumTree tree_of(const SumOrder& order, std::int64_t terms);

/// One after another, beginning at `first` and going round: what a ring of ranks adds.
SumTree ring_tree(std::int64_t terms, std::int64_t first);

}  // namespace plumbline

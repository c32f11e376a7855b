#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Finds order statistics of a few thousand floats in about one pass. Memory is kept between calls.
class NthLargest {
 public:
  /// The rank-th largest of `values`, 1 <= rank <= values.size(); no value is a NaN. Two pivots around the
  /// rank, taken from a sample, leave few values to order; where they miss, all are ordered.
  float operator()(std::span<const float> values, std::int64_t rank);

 private:
  std::vector<float> scratch_;
};

}  // namespace plumbline

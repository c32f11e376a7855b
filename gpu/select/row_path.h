#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// How a row was answered; a witness of the branch, never an input.
enum class RowPath : std::uint8_t {
  kUnset = 0,
  kIdentity = 1,  ///< n <= k: nothing read
  kDirect = 2,    ///< the whole row fits the candidate buffer
  kFiltered = 3,  ///< a sampled bound left between k and `capacity` candidates
  kPivot = 4,     ///< the bound itself is the k-th score: ties at it decide
  kRescanned = 5  ///< the sampled bound failed; a bound from full histograms replaced it
};

}  // namespace plumbline::gpu

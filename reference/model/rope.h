#pragma once

#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/mrope.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Frequencies of the rotary pairs, in radians per position.
template <typename Number>
struct BasicRotaryFrequencies {
  std::vector<Number> per_pair;
  MropeSections sections{};
};
using RotaryFrequencies = BasicRotaryFrequencies<Bounded>;

/// Frequencies as an engine held them.
template <typename Number = Bounded>
BasicRotaryFrequencies<Number> recorded_frequencies(std::span<const float> inverse_frequencies,
                                                    const MropeSections& sections);
/// theta^(-2i/rotary_dim) for i < rotary_dim/2 as float32, with the error of an engine that computes it as 1
/// / pow.
template <typename Number>
BasicRotaryFrequencies<Number> default_frequencies(double theta, std::int64_t rotary_dim,
                                                   const MropeSections& sections,
                                                   const BasicEngineArithmetic<Number>& arithmetic);

/// Cosine and sine of each rotary pair at one token's coordinates.
template <typename Number>
struct BasicRotation {
  std::vector<Number> cosine, sine;
};
using Rotation = BasicRotation<Bounded>;
template <typename Number>
BasicRotation<Number> rotation_at(const Coordinates& coordinates,
                                  const BasicRotaryFrequencies<Number>& frequencies,
                                  const BasicEngineArithmetic<Number>& arithmetic);

/// Partial half-split ("NeoX") RoPE of one head, in place: with n pairs, (x[i], x[i+n]) turn by pair i's
/// angle, and elements from 2n on are only stored.
template <typename Number>
void rope(std::span<Number> head, const BasicRotation<Number>& rotation,
          const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/model/bounded.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/mrope.h"

namespace plumbline {

/// Frequencies of the rotary pairs, in radians per position.
struct RotaryFrequencies {
  std::vector<Bounded> per_pair;
  MropeSections sections{};
};

/// Frequencies as an engine held them.
RotaryFrequencies recorded_frequencies(std::span<const float> inverse_frequencies,
                                       const MropeSections& sections);
/// theta^(-2i/rotary_dim) for i < rotary_dim/2 as float32, with the error of an engine that computes it as 1
/// / pow.
RotaryFrequencies default_frequencies(double theta, std::int64_t rotary_dim, const MropeSections& sections,
                                      const EngineArithmetic& arithmetic);

/// Cosine and sine of each rotary pair at one token's coordinates.
struct Rotation {
  std::vector<Bounded> cosine, sine;
};
Rotation rotation_at(const Coordinates& coordinates, const RotaryFrequencies& frequencies,
                     const EngineArithmetic& arithmetic);

/// Partial half-split ("NeoX") RoPE of one head, in place: with n pairs, (x[i], x[i+n]) turn by pair i's
/// angle, and elements from 2n on are only stored.
void rope(std::span<Bounded> head, const Rotation& rotation, const EngineArithmetic& arithmetic);

}  // namespace plumbline

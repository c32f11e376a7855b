#pragma once

#include "reference/model/gated_delta_net.h"

#include <array>
#include <cstdint>

namespace plumbline {

/// A delta net of one key head in front of which nothing is rounded: its convolution passes the current token
/// alone, its activation whatever is not negative, and keys of whole numbers whose squares sum up to a power
/// of four are normalised exactly (the 1e-6 under the root is below half a unit of the sum). So the delta
/// rule's inputs are known, and its error is its own.
inline GatedDeltaNetWeights transparent_delta_net(std::int64_t value_heads, std::int64_t key_dim,
                                                  std::int64_t value_dim) {
  GatedDeltaNetWeights weights{.key_heads = 1,
                               .value_heads = value_heads,
                               .key_dim = key_dim,
                               .value_dim = value_dim,
                               .epsilon = 1e-6,
                               .activation = Activation::relu,
                               .output_gate = Activation::silu,
                               .qkv = {{}, 0, 0},
                               .z = {{}, 0, 0},
                               .b = {{}, 0, 0},
                               .a = {{}, 0, 0},
                               .convolution = {.taps = 1, .dilation = 1, .filter = {}},
                               .decay_log = {},
                               .dt_bias = {},
                               .norm = {},
                               .out = {{}, 0, 0}};
  weights.convolution.filter.assign(static_cast<std::size_t>(weights.channels()), 1.0);
  weights.decay_log.assign(static_cast<std::size_t>(value_heads), 0.0);
  weights.dt_bias.assign(static_cast<std::size_t>(value_heads), 0.0);
  return weights;
}

/// Five whole numbers that `length`, a power of two, divides into a unit vector. The second and the third are
/// nearly parallel to the first.
struct UnitVector {
  std::array<double, 5> numbers;
  double length;
};
inline constexpr std::array<UnitVector, 7> kUnitVectors = {{{{64, 0, 0, 0, 0}, 64},
                                                            {{127, 15, 5, 2, 1}, 128},
                                                            {{63, 9, 6, 3, 1}, 64},
                                                            {{32, 32, 32, 32, 0}, 64},
                                                            {{0, 32, 32, 32, 32}, 64},
                                                            {{1, 2, 15, 5, 1}, 16},
                                                            {{1, 1, 2, 5, 15}, 16}}};

}  // namespace plumbline

#include "reference/model/rope.h"

#include "fixtures/error.h"
#include "reference/model/number.h"
#include "reference/numeric/transcendental.h"
#include "reference/numeric/ulp.h"

#include <fmt/format.h>

namespace plumbline {

template <typename Number>
BasicRotaryFrequencies<Number> recorded_frequencies(std::span<const float> inverse_frequencies,
                                                    const MropeSections& sections) {
  BasicRotaryFrequencies<Number> frequencies{{}, sections};
  for (const float frequency : inverse_frequencies)
    frequencies.per_pair.push_back(exactly<Number>(frequency));
  return frequencies;
}

template <typename Number>
BasicRotaryFrequencies<Number> default_frequencies(double theta, std::int64_t rotary_dim,
                                                   const MropeSections& sections,
                                                   const BasicEngineArithmetic<Number>& arithmetic) {
  BasicRotaryFrequencies<Number> frequencies{{}, sections};
  for (std::int64_t i = 0; i < rotary_dim / 2; ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(rotary_dim);
    const double power = pow_of(theta, exponent);
    double error = power * 0x1p-52;
    if (arithmetic.profile().float32_arithmetic) {
      // A float32 exponent off by u changes the power by the factor theta^(u·exponent) < 1 +
      // 2·u·exponent·ln(theta).
      const bool exact_exponent = static_cast<double>(static_cast<float>(exponent)) == exponent;
      error += exact_exponent ? 0 : power * 0x1p-23 * exponent * log_of(theta);
      error += arithmetic.profile().power_ulp * ulp_of(DType::float32, power * (1 + 0x1p-20));
    }
    frequencies.per_pair.push_back(arithmetic.step(reciprocal(within<Number>(power, error))));
  }
  return frequencies;
}

template <typename Number>
BasicRotation<Number> rotation_at(const Coordinates& coordinates,
                                  const BasicRotaryFrequencies<Number>& frequencies,
                                  const BasicEngineArithmetic<Number>& arithmetic) {
  const std::size_t pairs = frequencies.per_pair.size();
  const bool stored = arithmetic.profile().store_trigonometry;
  BasicRotation<Number> rotation;
  rotation.cosine.reserve(pairs);
  rotation.sine.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::int64_t coordinate =
        coordinate_of_pair(coordinates, static_cast<std::int64_t>(i), frequencies.sections);
    const Number position = arithmetic.step(exactly<Number>(static_cast<double>(coordinate)));
    const Number angle = arithmetic.step(position * frequencies.per_pair[i]);
    rotation.cosine.push_back(arithmetic.store_if(stored, arithmetic.cosine(angle)));
    rotation.sine.push_back(arithmetic.store_if(stored, arithmetic.sine(angle)));
  }
  return rotation;
}

template <typename Number>
void rope(std::span<Number> head, const BasicRotation<Number>& rotation,
          const BasicEngineArithmetic<Number>& arithmetic) {
  const std::size_t pairs = rotation.cosine.size();
  if (2 * pairs > head.size()) {
    throw InputError(fmt::format("rotary width {} exceeds the head's {} elements", 2 * pairs, head.size()));
  }
  const bool stored = arithmetic.profile().rope == RopeRounding::each_operation;
  const auto product = [&](Number a, Number b) {
    return arithmetic.store_if(stored, arithmetic.step(a * b));
  };
  const auto sum = [&](Number a, Number b) { return arithmetic.store(arithmetic.step(a + b)); };
  for (std::size_t i = 0; i < pairs; ++i) {
    const Number first = head[i], second = head[i + pairs];
    head[i] = sum(product(first, rotation.cosine[i]), product(-second, rotation.sine[i]));
    head[i + pairs] = sum(product(second, rotation.cosine[i]), product(first, rotation.sine[i]));
  }
  for (std::size_t i = 2 * pairs; i < head.size(); ++i) head[i] = arithmetic.store(head[i]);
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                     \
  template BasicRotaryFrequencies<Number> recorded_frequencies(std::span<const float>,                    \
                                                               const MropeSections&);                     \
  template BasicRotaryFrequencies<Number> default_frequencies(double, std::int64_t, const MropeSections&, \
                                                              const BasicEngineArithmetic<Number>&);      \
  template BasicRotation<Number> rotation_at(const Coordinates&, const BasicRotaryFrequencies<Number>&,   \
                                             const BasicEngineArithmetic<Number>&);                       \
  template void rope(std::span<Number>, const BasicRotation<Number>&, const BasicEngineArithmetic<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

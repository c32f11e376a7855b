#include "reference/select/filter_bound.h"

#include <algorithm>
#include <cmath>

namespace plumbline {

double slack_factor(std::int64_t dim, std::int64_t heads) {
  const double nu = static_cast<double>(dim + heads + 8) * 0x1p-24;
  const double gamma = nu / (1 - nu);
  return gamma / ((1 - gamma) * (1 - gamma)) * (1 + 0x1p-8);
}

double norm_above(std::span<const float> values) {
  // Squares of float32 are exact in double; adding 2^21 of them errs by 2^-32 relative at most.
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum) * (1 + 0x1p-20);
}

float bounding_norm(double scaled_norm) {
  return scaled_norm == 0 ? 0.0f : static_cast<float>(std::max(scaled_norm, 0x1p-50));
}

int exponent_above(double value) { return value == 0 ? 0 : std::ilogb(value) + 1; }

}  // namespace plumbline

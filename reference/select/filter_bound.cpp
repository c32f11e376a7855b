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
  // Squares of float32 are exact in double; adding 2^21 of them, in any order, errs by 2^-32 relative at
  // most.
  const auto square = [&values](std::size_t i) {
    return static_cast<double>(values[i]) * static_cast<double>(values[i]);
  };
  double lanes[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += square(i + lane);
  }
  for (; i < values.size(); ++i) lanes[0] += square(i);
  return std::sqrt((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) * (1 + 0x1p-20);
}

float bounding_norm(double scaled_norm) {
  return scaled_norm == 0 ? 0.0f : static_cast<float>(std::max(scaled_norm, 0x1p-50));
}

int exponent_above(double value) { return value == 0 ? 0 : std::ilogb(value) + 1; }

}  // namespace plumbline

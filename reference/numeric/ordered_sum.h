#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

namespace plumbline {

// Sums of float32 or double in a written order, each addition rounded to T: the same bits from every compiler
// and instruction set (given -ffp-contract=off). A sum of nothing is +0.

/// ((0 + x0) + x1) + x2 + …; the sum of -0 alone is +0.
template <std::floating_point T>
T sequential_sum(std::span<const T> values) {
  T sum = 0;
  for (const T value : values) sum += value;
  return sum;
}

/// Lane l sums x_l, x_{l+Lanes}, x_{l+2·Lanes}, … sequentially; then halves are folded, lane l taking lane
/// l + Lanes/2, until one is left. Vectorises without changing a bit.
template <std::size_t Lanes, std::floating_point T>
requires(Lanes > 0 && (Lanes & (Lanes - 1)) == 0) T lane_sum(std::span<const T> values) {
  std::array<T, Lanes> lanes{};
  std::size_t i = 0;
  for (; i + Lanes <= values.size(); i += Lanes) {
    for (std::size_t lane = 0; lane < Lanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (std::size_t lane = 0; i + lane < values.size(); ++lane) lanes[lane] += values[i + lane];
  for (std::size_t half = Lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

/// Values are split in two, the first half taking the odd one, down to single values, and the sums of the
/// halves are added: depth ⌈log2 n⌉, error at most γ_{⌈log2 n⌉}·Σ|x|.
template <std::floating_point T>
T pairwise_sum(std::span<const T> values) {
  if (values.empty()) return 0;
  if (values.size() == 1) return values[0];
  const std::size_t half = (values.size() + 1) / 2;
  return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

}  // namespace plumbline

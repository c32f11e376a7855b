#include "reference/numeric/tensor_core.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace plumbline {
namespace {

constexpr std::string_view kMmaSim =
    "Xie et al., MMA-Sim, arXiv 2511.10909 and microsoft/MMA-Sim simulator/nv.py";

// Fraction bits and splits of a step as published there: Volta 23 bits, Turing, Ampere and Ada 24, Hopper 25;
// Volta's instruction has k = 4, Turing's k = 8, Ampere and Ada execute k = 16 as two halves. Float8 units of
// Ada and Hopper keep 13 bits. That V100, T4 and A100 align to the largest operand and truncate was found
// independently by Fasi, Higham, Mikaitis and Pranesh, PeerJ Computer Science 7:e330 (2021); Khattak and
// Mikaitis, arXiv 2512.07004 (2025), model V100, A100, H100 and B200 alike.
constexpr std::array<TensorCore, 6> kTensorCores = {{
    {"7.0", "Volta", false, {4, 23, 23}, std::nullopt, kMmaSim, "source"},
    {"7.5", "Turing", false, {8, 24, 23}, std::nullopt, kMmaSim, "source"},
    {"8.0", "Ampere", true, {8, 24, 23}, std::nullopt, kMmaSim, "source"},
    {"8.6", "Ampere", true, {8, 24, 23}, std::nullopt, kMmaSim, "source"},
    {"8.9", "Ada", true, {8, 24, 23}, TensorCoreStep{16, 13, 13}, kMmaSim, "source"},
    {"9.0", "Hopper", true, {16, 25, 23}, TensorCoreStep{32, 13, 13}, kMmaSim, "measured"},
}};

int smallest_exponent(DType type) {
  switch (type) {
    case DType::float16:
    case DType::float8_e5m2:
      return -14;
    case DType::float8_e4m3fn:
      return -6;
    default:
      return -126;
  }
}

constexpr int kZeroExponent = -126;

/// value as a whole number of 2^unit, cut toward zero.
std::int64_t cut(double value, int unit) { return static_cast<std::int64_t>(std::ldexp(value, -unit)); }

}  // namespace

std::optional<TensorCoreStep> TensorCore::step_for(DType type) const {
  if (type == DType::float16 || (type == DType::bfloat16 && bfloat16)) return half;
  if (type == DType::float8_e4m3fn || type == DType::float8_e5m2) return float8;
  return std::nullopt;
}

std::span<const TensorCore> tensor_cores() { return kTensorCores; }

const TensorCore* find_tensor_core(std::string_view capability) {
  const auto found = std::ranges::find(kTensorCores, capability, &TensorCore::capability);
  return found == kTensorCores.end() ? nullptr : &*found;
}

int aligned_exponent(DType type, double value) {
  return value == 0 ? kZeroExponent : std::max(std::ilogb(value), smallest_exponent(type));
}

float tensor_core_step(const TensorCoreStep& step, DType type, float accumulator, std::span<const float> a,
                       std::span<const float> b) {
  int largest = aligned_exponent(DType::float32, accumulator);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != 0 && b[i] != 0)
      largest = std::max(largest, aligned_exponent(type, a[i]) + aligned_exponent(type, b[i]));
  }
  // A product's significand is below 4, so a term has at most fraction_bits + 2 bits, and 33 of them fit.
  const int unit = largest - step.fraction_bits;
  std::int64_t sum = cut(accumulator, unit);
  for (std::size_t i = 0; i < a.size(); ++i) sum += cut(static_cast<double>(a[i]) * b[i], unit);
  if (sum == 0) return 0;
  const bool negative = sum < 0;
  auto magnitude = static_cast<std::uint64_t>(negative ? -sum : sum);
  const int exponent = unit + static_cast<int>(std::bit_width(magnitude)) - 1;
  const int lowest = std::max(exponent - step.result_bits, -149);
  if (lowest > unit) {
    const int dropped = lowest - unit;
    magnitude = dropped >= 64 ? 0 : magnitude >> dropped << dropped;
  }
  const double value = std::ldexp(static_cast<double>(magnitude), unit);
  const float result = value >= 0x1p128 ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
  return negative ? -result : result;
}

float tensor_core_dot(const TensorCoreStep& step, DType type, std::span<const float> a,
                      std::span<const float> b) {
  float sum = 0;
  const auto terms = static_cast<std::size_t>(step.terms);
  for (std::size_t first = 0; first < a.size(); first += terms) {
    const std::size_t count = std::min(terms, a.size() - first);
    sum = tensor_core_step(step, type, sum, a.subspan(first, count), b.subspan(first, count));
  }
  return sum;
}

}  // namespace plumbline

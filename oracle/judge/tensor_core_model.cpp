#include "fixtures/small_float.h"
#include "oracle/judge/error_model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// One k-step of a unit that adds `step` products and the accumulator: all are aligned to the largest
/// exponent and cut toward zero at `fraction_bits` bits below it, added exactly, and the sum is cut to
/// `result_bits` fraction bits.
struct TruncatingUnit {
  int step;
  int fraction_bits;
  int result_bits;
};

struct CapabilityUnits {
  const char* capability;
  bool bfloat16;  ///< 16-bit inputs may also be bf16
  TruncatingUnit half;
  std::optional<TruncatingUnit> float8;
  const char* source;
};

constexpr const char* kMmaSim = "Xie et al., MMA-Sim, arXiv 2511.10909 and microsoft/MMA-Sim simulator/nv.py";

// Fraction bits and splits of a step as published there: Volta 23 bits, Turing, Ampere and Ada 24, Hopper 25;
// Volta's instruction has k = 4, Turing's k = 8, Ampere and Ada execute k = 16 as two halves. Float8 units of
// Ada and Hopper keep 13 bits. That V100, T4 and A100 align to the largest operand and truncate was found
// independently by Fasi, Higham, Mikaitis and Pranesh, PeerJ Computer Science 7:e330 (2021); the Hopper row
// was confirmed on an H200 (TOPK.md §6).
const CapabilityUnits kUnits[] = {
    {"7.0", false, {4, 23, 23}, std::nullopt, kMmaSim},
    {"7.5", false, {8, 24, 23}, std::nullopt, kMmaSim},
    {"8.0", true, {8, 24, 23}, std::nullopt, kMmaSim},
    {"8.6", true, {8, 24, 23}, std::nullopt, kMmaSim},
    {"8.9", true, {8, 24, 23}, TruncatingUnit{16, 13, 13}, kMmaSim},
    {"9.0", true, {16, 25, 23}, TruncatingUnit{32, 13, 13}, kMmaSim},
};

/// What a float has as exponent in such a unit: subnormals that of the smallest normal number.
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

/// Exponent a unit aligns by; zeros count as 2^-126 for every type.
int exponent_of(double value, int smallest) {
  return value == 0 ? -126 : std::max(std::ilogb(value), smallest);
}

double element(const TensorView& view, std::int64_t i) { return decode_element(view.dtype, view.at(i)); }
double element(const TensorView& view, std::int64_t i, std::int64_t j) {
  return decode_element(view.dtype, view.at(i, j));
}

class TensorCore final : public ErrorModel {
 public:
  TensorCore(const CapabilityUnits& units, std::int64_t heads, std::int64_t dim)
      : units_(units), any_order_(float32_any_order(heads, dim)) {}

  std::string name() const override { return fmt::format("tensor_core:{}", units_.capability); }

  std::string derivation() const override {
    return fmt::format(
        "per head: sum over steps of {} products in ascending order of (products + accumulator)*2^(emax - "
        "{}) + "
        "2^-{}*|acc| (alignment and truncation; {}); then heads roundings of 2^-24 (head additions, scaling)",
        units_.half.step, units_.half.fraction_bits, units_.half.result_bits, units_.source);
  }

  double bound(const TensorView& query, const TensorView& key, double magnitude) const override {
    const auto unit = unit_for(query.dtype, key.dtype);
    if (!unit) return any_order_->bound(query, key, magnitude);

    const std::int64_t heads = query.extent(0);
    double error = 0, sum = 0;  // of the heads: total error, and how large their computed values can be
    for (std::int64_t head = 0; head < heads; ++head) {
      const HeadBound bound = head_bound(*unit, query, head, key);
      error += bound.error;
      sum += std::max(0.0, bound.value + bound.error);
    }
    const double n = static_cast<double>(heads);
    const double gamma = n * 0x1p-24 / (1.0 - n * 0x1p-24);
    const double underflow = n * static_cast<double>(key.extent(0)) * 0x1p-149;
    return (error + gamma * sum + underflow) * (1.0 + 0x1p-30);
  }

 private:
  struct HeadBound {
    double value = 0;  ///< not below the exact dot product
    double error = 0;  ///< of the computed one
  };

  std::optional<TruncatingUnit> unit_for(DType query, DType key) const {
    if (query != key) return std::nullopt;
    if (query == DType::float16 || (query == DType::bfloat16 && units_.bfloat16)) return units_.half;
    if (query == DType::float8_e4m3fn || query == DType::float8_e5m2) return units_.float8;
    return std::nullopt;
  }

  // Every aligned term loses less than 2^(emax − fraction_bits), emax the largest exponent of the step: of
  // the accumulator, and of the products as the sum of their operands' exponents. The final cut loses less
  // than one unit in the last place of the sum. The accumulator is not known, but it lies within the error so
  // far of the exact partial sum, which double arithmetic gives to within a relative 2^-52·dim of the
  // magnitudes.
  static HeadBound head_bound(const TruncatingUnit& unit, const TensorView& query, std::int64_t head,
                              const TensorView& key) {
    const std::int64_t dim = key.extent(0);
    const int smallest = smallest_exponent(query.dtype);
    const double double_error = 0x1p-52 * static_cast<double>(dim);
    double partial = 0, magnitude = 0, error = 0;
    for (std::int64_t first = 0; first < dim; first += unit.step) {
      const std::int64_t last = std::min(dim, first + unit.step);
      const double accumulator = (std::abs(partial) + double_error * magnitude + error) * (1.0 + 0x1p-50);
      int largest = exponent_of(accumulator, -126);
      std::int64_t terms = accumulator == 0 ? 0 : 1;
      for (std::int64_t d = first; d < last; ++d) {
        const double q = element(query, head, d), k = element(key, d);
        largest = std::max(largest, exponent_of(q, smallest) + exponent_of(k, smallest));
        if (q == 0 || k == 0) continue;
        partial += q * k;
        magnitude += std::abs(q * k);
        ++terms;
      }
      error += static_cast<double>(terms) * std::ldexp(1.0, largest - unit.fraction_bits);
      const double result = std::abs(partial) + double_error * magnitude + error;
      error += std::ldexp(result, -unit.result_bits) + 0x1p-149;
    }
    return {partial + double_error * magnitude, error};
  }

  const CapabilityUnits& units_;
  std::unique_ptr<ErrorModel> any_order_;
};

}  // namespace

std::unique_ptr<ErrorModel> tensor_core(const std::string& capability, std::int64_t heads, std::int64_t dim) {
  for (const CapabilityUnits& units : kUnits) {
    if (capability == units.capability) return std::make_unique<TensorCore>(units, heads, dim);
  }
  return nullptr;
}

}  // namespace plumbline

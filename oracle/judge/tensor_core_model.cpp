#include "fixtures/small_float.h"
#include "oracle/judge/error_model.h"
#include "reference/numeric/tensor_core.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

double element(const TensorView& view, std::int64_t i) { return decode_element(view.dtype, view.at(i)); }
double element(const TensorView& view, std::int64_t i, std::int64_t j) {
  return decode_element(view.dtype, view.at(i, j));
}

class TensorCoreModel final : public ErrorModel {
 public:
  TensorCoreModel(const TensorCore& units, std::int64_t heads, std::int64_t dim)
      : units_(units), any_order_(float32_any_order(heads, dim)) {}

  std::string name() const override { return fmt::format("tensor_core:{}", units_.capability); }

  std::string derivation() const override {
    return fmt::format(
        "per head: sum over steps of {} products in ascending order of (products + accumulator)*2^(emax - "
        "{}) + "
        "2^-{}*|acc| (alignment and truncation; {}); then heads roundings of 2^-24 (head additions, scaling)",
        units_.half.terms, units_.half.fraction_bits, units_.half.result_bits, units_.source);
  }

  double bound(const TensorView& query, const TensorView& key, double magnitude) const override {
    const auto step = step_for(query.dtype, key.dtype);
    if (!step) return any_order_->bound(query, key, magnitude);

    const std::int64_t heads = query.extent(0);
    double error = 0, sum = 0;  // of the heads: total error, and how large their computed values can be
    for (std::int64_t head = 0; head < heads; ++head) {
      const HeadBound bound = head_bound(*step, query, head, key);
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

  std::optional<TensorCoreStep> step_for(DType query, DType key) const {
    return query == key ? units_.step_for(query) : std::nullopt;
  }

  // Every aligned term loses less than 2^(emax − fraction_bits), emax the largest exponent of the step: of
  // the accumulator, and of the products as the sum of their operands' exponents. The final cut loses less
  // than one unit in the last place of the sum. The accumulator is not known, but it lies within the error so
  // far of the exact partial sum, which double arithmetic gives to within a relative 2^-52·dim of the
  // magnitudes.
  static HeadBound head_bound(const TensorCoreStep& step, const TensorView& query, std::int64_t head,
                              const TensorView& key) {
    const std::int64_t dim = key.extent(0);
    const double double_error = 0x1p-52 * static_cast<double>(dim);
    double partial = 0, magnitude = 0, error = 0;
    for (std::int64_t first = 0; first < dim; first += step.terms) {
      const std::int64_t last = std::min(dim, first + step.terms);
      const double accumulator = (std::abs(partial) + double_error * magnitude + error) * (1.0 + 0x1p-50);
      int largest = aligned_exponent(DType::float32, accumulator);
      std::int64_t terms = accumulator == 0 ? 0 : 1;
      for (std::int64_t d = first; d < last; ++d) {
        const double q = element(query, head, d), k = element(key, d);
        largest = std::max(largest, aligned_exponent(query.dtype, q) + aligned_exponent(query.dtype, k));
        if (q == 0 || k == 0) continue;
        partial += q * k;
        magnitude += std::abs(q * k);
        ++terms;
      }
      error += static_cast<double>(terms) * std::ldexp(1.0, largest - step.fraction_bits);
      const double result = std::abs(partial) + double_error * magnitude + error;
      error += std::ldexp(result, -step.result_bits) + 0x1p-149;
    }
    return {partial + double_error * magnitude, error};
  }

  const TensorCore& units_;
  std::unique_ptr<ErrorModel> any_order_;
};

}  // namespace

std::unique_ptr<ErrorModel> tensor_core(const std::string& capability, std::int64_t heads, std::int64_t dim) {
  const TensorCore* units = find_tensor_core(capability);
  if (units != nullptr) return std::make_unique<TensorCoreModel>(*units, heads, dim);
  return nullptr;
}

}  // namespace plumbline

#include "oracle/judge/error_model.h"

#include "fixtures/error.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;

class Float32AnyOrder final : public ErrorModel {
 public:
  Float32AnyOrder(std::int64_t heads, std::int64_t dim) : heads_(heads), roundings_(roundings(heads, dim)) {}

  std::string name() const override { return "float32_any_order"; }

  std::string derivation() const override {
    return "gamma_n * sum_h sum_d |q*k| + heads*n*2^-149, n = dim + heads + 2, gamma_n = n*u/(1 - n*u), u = "
           "2^-24 "
           "(Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1)";
  }

  // In whatever order dim products are added, each passes through at most one rounding of its own and dim − 1
  // additions: a head errs by at most γ_dim·M_h, M_h = Σ_d |q·k|. max(0, ·) does not enlarge an error. The
  // head sum and the scaling add at most `heads` roundings of values below (1 + γ_dim)·M_h, and γ_a + γ_b +
  // γ_a·γ_b <= γ_(a+b), so γ_(dim+heads) holds; two more roundings leave room for a scale folded into the
  // heads. Underflow: a rounded product errs by at most 2^-150 beside its relative error, an addition by
  // nothing, the scaling by 2^-150/scale per head with 1/scale = sqrt(dim) <= dim: together below
  // heads·dim·2^-149.
  double bound(const TensorView&, const TensorView&, double magnitude) const override {
    const double n = static_cast<double>(roundings_);
    const double gamma = n * kUnitRoundoff / (1.0 - n * kUnitRoundoff);
    const double underflow = static_cast<double>(heads_) * n * 0x1p-149;
    return (gamma * magnitude + underflow) * (1.0 + 0x1p-48);  // this line's own four roundings, and to spare
  }

 private:
  static std::int64_t roundings(std::int64_t heads, std::int64_t dim) {
    constexpr std::int64_t kMost = 1 << 23;
    if (heads < 1 || dim < 1 || heads >= kMost || dim >= kMost || dim + heads + 2 >= kMost) {
      throw InputError(fmt::format(
          "error model float32_any_order: {} heads of {} values: heads + dim + 2 must stay below 2^23", heads,
          dim));
    }
    return dim + heads + 2;
  }

  std::int64_t heads_, roundings_;
};

}  // namespace

std::unique_ptr<ErrorModel> float32_any_order(std::int64_t heads, std::int64_t dim) {
  return std::make_unique<Float32AnyOrder>(heads, dim);
}

std::unique_ptr<ErrorModel> error_model_for(const std::optional<std::string>& capability, std::int64_t heads,
                                            std::int64_t dim) {
  if (capability) {
    if (auto model = tensor_core(*capability, heads, dim)) return model;
  }
  return float32_any_order(heads, dim);
}

}  // namespace plumbline

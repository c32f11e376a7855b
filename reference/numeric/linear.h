#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// A weight matrix [outputs, inner] kept in the order the product reads it. Elements are float32, which holds
/// every float32, fp16 and bf16 weight exactly.
class LinearWeight {
 public:
  /// `weight` is row-major [outputs, inner].
  LinearWeight(std::span<const float> weight, std::int64_t outputs, std::int64_t inner);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t inner() const { return inner_; }
  float at(std::int64_t output, std::int64_t k) const {
    return panels_[static_cast<std::size_t>(output / kPanel * kPanel * inner_ + k * kPanel +
                                            output % kPanel)];
  }
  /// Panel of `kPanel` outputs: [inner][kPanel], padded with zeros.
  const float* panel(std::int64_t index) const { return panels_.data() + index * kPanel * inner_; }
  std::int64_t panels() const { return (outputs_ + kPanel - 1) / kPanel; }

  static constexpr std::int64_t kPanel = 24;

 private:
  std::int64_t outputs_, inner_;
  std::vector<float> panels_;
};

/// Whether the products of a linear layer are exact in double.
enum class Products : std::uint8_t {
  /// Every input is a float32 number (any stored activation): x·w is exact in double, so a fused multiply-add
  /// rounds exactly like a product followed by an addition, and may be used where the machine has one.
  exact,
  /// Inputs are arbitrary doubles: product and addition round separately on every machine.
  rounded,
};

/// out[t, n] = Σ_k x[t, k]·w[n, k] with k ascending, one double accumulator per output that starts at +0. The
/// bits do not depend on threads, instruction set or blocking. `x` is [rows, inner], `out` [rows, outputs],
/// row-major.
void linear(std::span<const double> x, std::int64_t rows, const LinearWeight& weight, Products products,
            std::span<double> out);

/// out[t, n] = the largest |partial sum| of linear(x), terms in order, and of scale[t, k]·|w[n, k]|. `scale`
/// is [rows, inner], not negative.
void linear_partial(std::span<const double> x, std::span<const double> scale, std::int64_t rows,
                    const LinearWeight& weight, std::span<double> out);

/// out[t, n] = Σ_k |x[t, k]·w[n, k]| in the same order: the condition of each output.
void linear_magnitude(std::span<const double> x, std::int64_t rows, const LinearWeight& weight,
                      std::span<double> out);

}  // namespace plumbline

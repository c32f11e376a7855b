#pragma once

#include "fixtures/dtype.h"
#include "reference/model/bounded.h"
#include "reference/model/number.h"
#include "reference/model/rounding_profile.h"

#include <span>

namespace plumbline {

/// The operations a layer is made of, rounded and bounded as the engine of a profile does them. Number is
/// Bounded or double (see number.h).
template <typename Number>
class BasicEngineArithmetic {
 public:
  BasicEngineArithmetic(const RoundingProfile& profile, DType storage)
      : profile_(&profile), storage_(storage) {}

  const RoundingProfile& profile() const { return *profile_; }
  DType storage() const { return storage_; }

  /// One operation's result, before it is stored: rounded to float32 where the engine computes in float32.
  Number step(Number exact) const {
    return profile_->float32_arithmetic ? rounded(DType::float32, exact) : exact;
  }
  /// A result the engine stores in a tensor.
  Number store(Number result) const { return rounded(storage_, result); }
  /// store() where `stored` holds, else the number itself.
  Number store_if(bool stored, Number result) const { return stored ? store(result) : result; }
  /// An operation whose result becomes an activation: stepped, and rounded to storage where the engine stores
  /// activations.
  Number stored(Number exact) const { return store_if(profile_->store_activations, step(exact)); }
  /// stored() where `where` holds, else only stepped.
  Number stored_if(bool where, Number exact) const { return where ? stored(exact) : step(exact); }

  Number sum(std::span<const Number> terms) const;
  /// sum / n, as a division or as a product with fl(1/n).
  Number mean(std::span<const Number> terms) const;
  /// Mean of the squares.
  Number mean_square(std::span<const Number> terms) const;
  /// Sum of the squares.
  Number sum_of_squares(std::span<const Number> terms) const;
  /// Dot product of numbers with their errors; products and sums in any order of float32 operations.
  Number dot(std::span<const Number> a, std::span<const Number> b) const;

  /// A double sum of `terms` products, with Σ|product| = `magnitude`, as the engine's float32 sum in any
  /// order.
  Number reduced(Number sum, double magnitude, std::int64_t terms) const;

  Number reciprocal_root(Number a) const;
  Number quotient(Number a, Number b) const;
  Number cosine(Number angle) const;
  Number sine(Number angle) const;
  Number exponential(Number x) const;
  /// 1 / (1 + e^-x).
  Number sigmoid(Number x) const;
  /// x / (1 + e^-x).
  Number silu(Number x) const;
  /// log(1 + e^x), x itself above 20 (PyTorch's threshold).
  Number softplus(Number x) const;

 private:
  Number divided(Number sum, std::size_t count) const;
  Number from_library(Number exact, double ulp) const;
  /// What float32 may lose of σ(x) or x·σ(x): a unit of the subnormals, or all where e^−x overflows.
  double vanished(Number x, double result) const;
  /// Relative error of the engine's float32 exponential.
  double exponential_error() const;

  const RoundingProfile* profile_;
  DType storage_;
};

using EngineArithmetic = BasicEngineArithmetic<Bounded>;

}  // namespace plumbline

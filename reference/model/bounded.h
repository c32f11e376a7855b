#pragma once

#include "fixtures/tensor.h"

#include <span>
#include <vector>

namespace plumbline {

/// A number an engine computed, as far as it can be known: `value` is ours, and the engine's lies within
/// `error` of it. 0 means that both are the same number. Errors are rounded up; `value` never depends on
/// `error`.
struct Bounded {
  double value = 0;
  double error = 0;
  /// The largest term or partial sum (terms in order) of the sums behind the value, scaled by what it was
  /// multiplied with since; 0 where there was none. A sum is known to units of that, not of its result.
  /// Divisions, roots and activations start afresh.
  double partial = 0;
};

/// The larger of |value| and `partial`.
double scale_of(Bounded a);

/// Exact operations on what the engine holds; the error also counts what our double result loses.
Bounded operator+(Bounded a, Bounded b);
Bounded operator-(Bounded a, Bounded b);
Bounded operator*(Bounded a, Bounded b);
Bounded operator-(Bounded a);
Bounded square_root(Bounded a);
Bounded reciprocal(Bounded a);

/// The engine rounds the number to `type`, once, to nearest. Rounding is monotone, so its result lies between
/// those of the interval's ends; where they agree the error becomes 0.
Bounded rounded(DType type, Bounded a);

/// The error grown by `absolute`.
Bounded widened(Bounded a, double absolute);
/// The error grown as by `roundings` float32 roundings in a row: γ_n·|a| with u = 2^-24 (Higham 2002, §3.1).
Bounded widened_by_roundings(Bounded a, int roundings);

/// The float32 sum of float32 terms in any order of additions: γ_{n−1}·Σ|aᵢ|, or no error at all where every
/// partial sum of every order is a float32 number (common for a few 16-bit terms, whose mean may be a
/// rounding tie).
Bounded float32_sum_any_order(std::span<const Bounded> terms);

/// The largest magnitude the engine's number can have.
double largest_magnitude(Bounded a);

/// A tensor as an engine stores it: our elements in the storage type, and a bound for each.
struct BoundedTensor {
  Tensor tensor;
  std::vector<double> error;  ///< one per element, row-major

  BoundedTensor() = default;
  BoundedTensor(DType storage, Shape shape);

  Bounded at(std::int64_t element) const;
  /// `a` must already be rounded to the storage type.
  void set(std::int64_t element, Bounded a);
};

}  // namespace plumbline

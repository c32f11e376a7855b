#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// The recurrent delta rule in extended precision, and how far a state that is stepped in float32 may be from
/// it. `bound[c]` bounds the Euclidean norm of column c's error.
///
/// One step is S' = M·S + β·k·vᵀ with M = (I − β·k·kᵀ)·e^g. For |k| = 1 and 0 ≤ β ≤ 1 the norm of M is at
/// most e^g ≤ 1: an error never grows on its way, it only shrinks by e^g and gets the step's own roundings
/// added. With u = 2^-24, h = kᵀ·(e^g·S) and r = v − h, these are, in the order of delta_rule_recurrent():
///   e^g, and its product with each element   (decay_units + 1)·u·|e^g·S|    decay_units: errors of e^g in u
///   h, added up in double, and v − h         β·u·(|h| + |r|)
///   β, its product with r, and that with k   β·(beta_error + 2·u)·|r|       beta_error: relative
///   the sum                                  u·|S'|
/// where all norms are those of the stepped state, at most its bound away from ours. Products of two
/// roundings, and the double sum over a few elements, are within the factor 1 + 2^-10.
class SteppingOracle {
 public:
  SteppingOracle(std::size_t keys, std::size_t values)
      : state(keys * values), bound(values), keys_(keys), values_(values) {}

  std::vector<long double> state;  ///< [keys, values]
  std::vector<double> bound;       ///< [values]

  void step(std::span<const double> k, std::span<const double> v, long double beta, long double g,
            double beta_error, double decay_units) {
    constexpr double u = 0x1p-24;
    const long double decay = std::exp(g);
    for (long double& number : state) number *= decay;
    for (std::size_t c = 0; c < values_; ++c) {
      long double held = 0;
      for (std::size_t i = 0; i < keys_; ++i) held += k[i] * at(i, c);
      const long double rest = v[c] - held;
      const double carried = static_cast<double>(decay) * bound[c], before = norm(c) + carried;
      for (std::size_t i = 0; i < keys_; ++i) at(i, c) += k[i] * beta * rest;
      const double h = std::abs(static_cast<double>(held)) + carried,
                   r = std::abs(static_cast<double>(rest)) + carried, b = static_cast<double>(beta);
      const double own = (decay_units + 1) * u * before + b * u * (h + r) + b * (beta_error + 2 * u) * r +
                         u * (norm(c) + carried);
      bound[c] = carried + own * (1 + 0x1p-10);
    }
  }

  double norm(std::size_t column) const {
    long double sum = 0;
    for (std::size_t i = 0; i < keys_; ++i) sum += state[i * values_ + column] * state[i * values_ + column];
    return static_cast<double>(std::sqrt(sum));
  }

  /// The norm of each column's error in `other`, [keys, values].
  std::vector<double> errors(std::span<const double> other) const {
    std::vector<double> all;
    for (std::size_t c = 0; c < values_; ++c) {
      long double sum = 0;
      for (std::size_t i = 0; i < keys_; ++i) {
        const long double difference = other[i * values_ + c] - state[i * values_ + c];
        sum += difference * difference;
      }
      all.push_back(static_cast<double>(std::sqrt(sum)));
    }
    return all;
  }

 private:
  long double& at(std::size_t key, std::size_t value) { return state[key * values_ + value]; }

  std::size_t keys_, values_;
};

}  // namespace plumbline

#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// a + b = sum + error exactly, with sum rounded to nearest (Knuth 1969; needs no order of magnitudes).
struct TwoSum {
  double sum, error;
};
inline TwoSum two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// An exact sum of doubles as a non-overlapping expansion (Shewchuk 1997, Grow-Expansion with zero
/// elimination): nonzero components, ascending in magnitude, whose sum is the value; the last one has its
/// sign.
class Expansion {
 public:
  void add(double value) {
    double carried = value;
    std::size_t kept = 0;
    for (const double component : components_) {
      const TwoSum next = two_sum(carried, component);
      carried = next.sum;
      if (next.error != 0) components_[kept++] = next.error;
    }
    components_.resize(kept);
    if (carried != 0) components_.push_back(carried);
  }
  void add(const Expansion& other) {
    for (const double component : other.components_) add(component);
  }

  int sign() const { return components_.empty() ? 0 : components_.back() > 0 ? 1 : -1; }
  std::span<const double> components() const { return components_; }

 private:
  std::vector<double> components_;
};

}  // namespace plumbline

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// Something that adds terms in an order of its own.
class SumBox {
 public:
  virtual ~SumBox() = default;
  /// "cpu:pairwise", "cuda:score.paged".
  virtual std::string name() const = 0;
  virtual std::int64_t terms() const = 0;
  /// The sums of some rows of terms, [rows, terms] row-major. Terms are 0 or lie between `unit` and `mask` in
  /// magnitude with at most 8 significant bits; results come back to within a relative 2^-14.
  virtual std::vector<double> sums(std::span<const float> rows) = 0;
  /// Powers of two: what takes part in the probing, as far apart as the box's numbers allow.
  virtual double unit() const { return 0x1p-9; }
  virtual double mask() const { return 0x1p30; }
  /// Whether sums() gives back the very float32 that the box computed.
  virtual bool gives_bits() const { return false; }
};

}  // namespace plumbline

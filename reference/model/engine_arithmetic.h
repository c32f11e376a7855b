#pragma once

#include <span>

#include "fixtures/dtype.h"
#include "reference/model/bounded.h"
#include "reference/model/rounding_profile.h"

namespace plumbline {

/// The operations a layer is made of, rounded and bounded as the engine of a profile does them.
class EngineArithmetic {
 public:
  EngineArithmetic(const RoundingProfile& profile, DType storage) : profile_(&profile), storage_(storage) {}

  const RoundingProfile& profile() const { return *profile_; }
  DType storage() const { return storage_; }

  /// One operation's result, before it is stored: rounded to float32 where the engine computes in float32.
  Bounded step(Bounded exact) const;
  /// A result the engine stores in a tensor.
  Bounded store(Bounded result) const { return rounded(storage_, result); }
  /// store() where `stored` holds, else the number itself.
  Bounded store_if(bool stored, Bounded result) const { return stored ? store(result) : result; }

  Bounded sum(std::span<const Bounded> terms) const;
  /// sum / n, as a division or as a product with fl(1/n).
  Bounded mean(std::span<const Bounded> terms) const;
  /// Mean of the squares.
  Bounded mean_square(std::span<const Bounded> terms) const;
  /// Dot product of stored numbers, which are exact.
  Bounded dot(std::span<const double> a, std::span<const double> b) const;
  Bounded reciprocal_root(Bounded a) const;
  Bounded cosine(Bounded angle) const;
  Bounded sine(Bounded angle) const;

 private:
  Bounded divided(Bounded sum, std::size_t count) const;
  Bounded from_library(Bounded exact, double ulp) const;

  const RoundingProfile* profile_;
  DType storage_;
};

}  // namespace plumbline

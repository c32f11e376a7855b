#pragma once

#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>

#include <mpfr.h>

namespace plumbline {

/// A 300-bit number.
class Wide {
 public:
  Wide() { mpfr_init2(number_, 300); }
  ~Wide() { mpfr_clear(number_); }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  operator mpfr_ptr() { return number_; }

  /// The nearest bfloat16, ties to even, in one rounding.
  double as_bfloat16() {
    if (mpfr_zero_p(number_) != 0) return 0;
    const long unit = std::max<long>(mpfr_get_exp(number_) - 1, -126) - 7;
    mpfr_mul_2si(number_, number_, -unit, MPFR_RNDN);
    mpfr_rint(number_, number_, MPFR_RNDN);
    return std::ldexp(mpfr_get_d(number_, MPFR_RNDN), static_cast<int>(unit));
  }
  double as_double() { return mpfr_get_d(number_, MPFR_RNDN); }

 private:
  mpfr_t number_;
};

/// y = 1 / (1 + e^−x).
inline void wide_sigmoid(double x, Wide& y) {
  mpfr_set_d(y, -x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

}  // namespace plumbline

#include "reference/numeric/dyadic_window.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace plumbline {

DyadicWindow window_of(std::span<const float> values) {
  int unit = std::numeric_limits<int>::max(), top = std::numeric_limits<int>::min();
  for (const float value : values) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const int field = static_cast<int>(bits >> 23 & 0xFF);
    const std::uint32_t fraction = bits & 0x7FFFFF;
    if (field == 0xFF) throw std::invalid_argument("exact arithmetic: a value is not finite");
    if (field == 0 && fraction == 0) continue;
    const std::uint32_t significand = field == 0 ? fraction : fraction | 1u << 23;
    const int exponent = std::max(field, 1) - 150;
    unit = std::min(unit, exponent + std::countr_zero(significand));
    top = std::max(top, exponent + 32 - std::countl_zero(significand));
  }
  return top < unit ? DyadicWindow{} : DyadicWindow{unit, top};
}

}  // namespace plumbline

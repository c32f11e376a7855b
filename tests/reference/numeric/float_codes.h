#pragma once

#include "fixtures/small_float.h"
#include "fixtures/tensor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

namespace plumbline::testing {

inline std::vector<DType> floating_types() {
  return {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2};
}

inline double decode_code(DType type, std::uint32_t code) { return decode_element(type, &code); }

/// A finite bit pattern of `type`: any exponent is as likely as any other, subnormals and both zeros
/// included.
inline rc::Gen<std::uint32_t> finite_code(DType type) {
  const int bits = 8 * static_cast<int>(size_of(type));
  const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  return rc::gen::suchThat(rc::gen::map(rc::gen::resize(1000, rc::gen::arbitrary<std::uint32_t>()),
                                        [mask](std::uint32_t code) { return code & mask; }),
                           [type](std::uint32_t code) { return std::isfinite(decode_code(type, code)); });
}

/// A contiguous tensor of the given bit patterns.
inline Tensor tensor_of_codes(DType type, Shape shape, const std::vector<std::uint32_t>& codes) {
  Tensor tensor(type, std::move(shape));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::memcpy(tensor.bytes.data() + i * size_of(type), &codes[i], size_of(type));
  }
  return tensor;
}

}  // namespace plumbline::testing

#include "reference/numeric/decode_row.h"

#include "fixtures/small_float.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace plumbline {
namespace {

template <typename Bits>
std::vector<float> decoding_table(DType type) {
  std::vector<float> table(std::size_t{1} << (8 * sizeof(Bits)));
  for (std::size_t code = 0; code < table.size(); ++code) {
    const auto bits = static_cast<Bits>(code);
    table[code] = static_cast<float>(decode_element(type, &bits));
  }
  return table;
}

template <typename Bits, typename Decode>
void decode_each(const std::byte* first, std::int64_t stride, std::span<float> out, Decode decode) {
  const std::int64_t step = stride * static_cast<std::int64_t>(sizeof(Bits));
  for (std::size_t i = 0; i < out.size(); ++i) {
    Bits bits;
    std::memcpy(&bits, first + static_cast<std::int64_t>(i) * step, sizeof bits);
    out[i] = decode(bits);
  }
}

template <typename Bits>
void decode_by_table(const std::vector<float>& table, const std::byte* first, std::int64_t stride,
                     std::span<float> out) {
  decode_each<Bits>(first, stride, out, [&table](Bits bits) { return table[bits]; });
}

}  // namespace

void decode_row(DType type, const std::byte* first, std::int64_t stride, std::span<float> out) {
  switch (type) {
    case DType::float32:
      return decode_each<std::uint32_t>(first, stride, out,
                                        [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    case DType::bfloat16:
      return decode_each<std::uint16_t>(first, stride, out, [](std::uint16_t bits) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
      });
    case DType::float16: {
      static const std::vector<float> table = decoding_table<std::uint16_t>(type);
      return decode_by_table<std::uint16_t>(table, first, stride, out);
    }
    case DType::float8_e4m3fn: {
      static const std::vector<float> table = decoding_table<std::uint8_t>(type);
      return decode_by_table<std::uint8_t>(table, first, stride, out);
    }
    case DType::float8_e5m2: {
      static const std::vector<float> table = decoding_table<std::uint8_t>(type);
      return decode_by_table<std::uint8_t>(table, first, stride, out);
    }
    default:
      throw std::invalid_argument("decode_row: a floating type is needed");
  }
}

}  // namespace plumbline

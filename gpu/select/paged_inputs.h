#pragma once

#include <cstdint>

namespace plumbline::gpu {

enum class KeyType { kFloat16, kBfloat16 };

inline constexpr std::int32_t kIndexHeads = 4;
inline constexpr std::int32_t kIndexDim = 128;

/// One step's selection inputs on the device (ROUTES.md §5.1), all contiguous. Every kernel reads, none
/// writes.
struct PagedInputs {
  KeyType type = KeyType::kFloat16;
  const void* query = nullptr;  ///< [rows, 4, 128]
  std::int64_t rows = 0;
  const void* key_cache = nullptr;  ///< [pages, page_size, 1, 128]
  std::int64_t pages = 0;
  std::int32_t page_size = 0;
  const std::int32_t* page_table = nullptr;  ///< [requests, table_width]; outside [0, pages) = unmapped
  std::int32_t requests = 0;
  std::int32_t table_width = 0;
  const std::int32_t* token_to_request = nullptr;  ///< [rows]; out of range = padded row
  const void* positions = nullptr;                 ///< [rows] int64, or int32 by the flag
  bool positions_are_int32 = false;
  const std::int32_t* sequence_lengths = nullptr;  ///< [requests] tokens
  std::int32_t compress_ratio = 4;

  std::int64_t capacity() const { return std::int64_t{table_width} * page_size; }
};

}  // namespace plumbline::gpu

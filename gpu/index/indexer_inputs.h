#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// How activations, raw keys and compressed keys are stored.
enum class IndexType { kFloat16, kBfloat16, kFloat32 };

/// One sparse layer's indexer on the device, from its projection on (MODEL.md §1, §2).
struct IndexerParameters {
  static constexpr std::int32_t kMostDim = 512, kMostRatio = 16;

  IndexType type = IndexType::kBfloat16;
  std::int32_t heads = 4;
  std::int32_t dim = 128;        ///< 1 … kMostDim
  std::int32_t rotary_dim = 64;  ///< even, at most dim
  std::int32_t ratio = 4;        ///< 1 … kMostRatio tokens a block
  float epsilon = 1e-6f;
  const float* query_gain = nullptr;  ///< [dim] 1 + w, at a boundary of 16 bytes
  const float* key_gain = nullptr;    ///< the same
  const void* rotation = nullptr;     ///< RotationTable::data()
  std::int64_t rotation_rows = 0;     ///< coordinates it has
  std::int32_t height_pairs = 0;      ///< M-RoPE sections 1 and 2 (MODEL.md §1); 0: every pair by time
  std::int32_t width_pairs = 0;
};

/// The rows of one step. Rows of a request are adjacent and in order: their places rise by one. Nothing here
/// is written.
struct IndexStep {
  const void* query = nullptr;    ///< projected queries [rows, heads · dim]
  std::int64_t query_stride = 0;  ///< elements from row to row
  const void* raw_key = nullptr;  ///< projected keys [rows, dim], neither normed nor rotated
  std::int64_t raw_key_stride = 0;
  std::int64_t rows = 0;
  const std::int32_t* token_to_request = nullptr;  ///< [rows]; out of range = padded row
  const std::int64_t* places =
      nullptr;  ///< [rows] index in the request's sequence; < 0 or >= 2^31 = padded row
  const std::int64_t* coordinates = nullptr;  ///< [rows, 3] time, height, width; null: the place, thrice
};

/// Where a layer keeps its index keys.
struct IndexKeyStore {
  void* keys = nullptr;  ///< compressed [pages, page_size, dim]
  std::int64_t pages = 0;
  std::int32_t page_size = 0;
  const std::int32_t* page_table = nullptr;  ///< [requests, table_width]; outside [0, pages) = unmapped
  std::int32_t requests = 0;
  std::int32_t table_width = 0;
  void* ring = nullptr;                      ///< raw [requests, ring_rows, dim]
  std::int64_t* ring_coordinates = nullptr;  ///< [requests, ring_rows, 3]; null where steps give none
  std::int32_t ring_rows = 0;                ///< at least `ratio`; see index_ring.h
};

}  // namespace plumbline::gpu

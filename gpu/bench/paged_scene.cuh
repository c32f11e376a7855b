#pragma once

#include "gpu/bench/device_data.cuh"
#include "gpu/bench/uploaded.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/select/paged_inputs.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

#include <cuda_fp16.h>

namespace plumbline::gpu::bench {

enum class Values {
  kNormal,
  kQuantised,  ///< normal values in halves, in repeated vectors: ties at every rank
  kConstant,   ///< all ones: every score equal
  kPlateau,    ///< keys of the sign opposite to the queries but for one in 200: zeros reach the cutoff
  kNonFinite,  ///< normal, with NaN and infinities strewn in
  kComb,       ///< every eighth block of a page equal, the others below: few threads see all ties
  kNearTies,   ///< two sums one rounding apart that score the same, the larger of even blocks
  kCount
};

inline const char* values_name(Values values) {
  constexpr const char* kNames[] = {"normal",     "quantised", "constant", "plateau",
                                    "non-finite", "comb",      "near-ties"};
  return kNames[static_cast<int>(values)];
}

/// 16-bit vectors of 128; bf16 by truncation of the float32 bits.
[[maybe_unused]] static __global__ void fill_vectors(std::uint16_t* out, std::int64_t count,
                                                     std::uint64_t seed, bool bfloat16, Values values,
                                                     bool keys) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t vector = i / kIndexDim, element = i % kIndexDim;
    float value = normal(seed, i);
    switch (values) {
      case Values::kQuantised: {
        const std::int64_t of = keys ? static_cast<std::int64_t>(hash64(seed, vector) % 97) : vector;
        value = rintf(2.0f * normal(seed, of * kIndexDim + element)) / 2.0f;
        break;
      }
      case Values::kConstant:
        value = 1.0f;
        break;
      case Values::kPlateau:
        value = fabsf(value);
        if (keys && hash64(seed, vector) % 200 != 0) value = -value;
        break;
      case Values::kNonFinite: {
        const std::uint64_t pick = hash64(seed + 3, i) % 60000;
        if (pick == 0) value = __uint_as_float(0x7FC00000u);
        if (pick == 1) value = __uint_as_float(0xFFC00000u);
        if (pick == 2) value = __uint_as_float(0x7F800000u);
        if (pick == 3) value = __uint_as_float(0xFF800000u);
        break;
      }
      case Values::kComb:
        value = !keys || vector % 8 == 0 ? 1.0f : -1.0f;
        break;
      case Values::kNearTies: {
        // A doubled head sum is 1552 or 1552 - 2^-13: both divide to the same score.
        const bool first = element == 0, low = element == 1 && (keys ? vector % 2 == 1 : vector % 4 == 0);
        value = first ? (keys ? 1.0f : 194.0f) : low ? (keys ? -1.0f : 0x1p-14f) : 0.0f;
        break;
      }
      default:
        break;
    }
    out[i] = bfloat16 ? static_cast<std::uint16_t>(__float_as_uint(value) >> 16)
                      : __half_as_ushort(__float2half_rn(value));
  }
}

struct SceneRequest {
  std::int32_t length, rows;
};

/// Device inputs of one step: permuted pages, optionally some unmapped, padded rows at the end.
struct PagedScene {
  PagedInputs inputs;
  std::vector<std::int32_t> requests_of_rows, lengths, table;
  std::vector<std::int64_t> positions;
  DeviceBuffer<std::uint16_t> query, cache;
  DeviceBuffer<std::int32_t> page_table, token_to_request, sequence_lengths;
  DeviceBuffer<std::int64_t> query_positions;

  PagedScene(const std::vector<SceneRequest>& requests, std::int32_t page_size, bool bfloat16, bool unmapped,
             std::int32_t padded_rows, std::uint64_t seed, Values values = Values::kNormal) {
    std::int64_t pages = 0;
    std::int32_t width = 1;
    for (const SceneRequest& r : requests) {
      const std::int32_t mine = (r.length / 4 + page_size - 1) / page_size;
      pages += mine;
      width = std::max(width, mine);
    }
    std::vector<std::int32_t> order(static_cast<std::size_t>(pages + 2));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[hash64(seed, i) % i]);
    table.assign(static_cast<std::size_t>(width) * requests.size(), -1);
    std::size_t taken = 0;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const std::int32_t mine = (requests[r].length / 4 + page_size - 1) / page_size;
      for (std::int32_t p = 0; p < mine; ++p) {
        const std::int32_t page = order[taken++];
        table[r * static_cast<std::size_t>(width) + static_cast<std::size_t>(p)] =
            unmapped && p % 11 == 5 ? (p % 2 == 0 ? -1 : 1 << 30) : page;
      }
      lengths.push_back(requests[r].length);
      for (std::int32_t i = 0; i < requests[r].rows; ++i) {
        requests_of_rows.push_back(static_cast<std::int32_t>(r));
        positions.push_back(requests[r].length - requests[r].rows + i);
      }
    }
    for (std::int32_t i = 0; i < padded_rows; ++i) {
      requests_of_rows.push_back(i % 3 == 0   ? -1
                                 : i % 3 == 1 ? 0
                                              : static_cast<std::int32_t>(requests.size()));
      positions.push_back(i % 2 == 0 ? -1 : -5);
    }
    const std::int64_t rows = static_cast<std::int64_t>(positions.size());
    query = DeviceBuffer<std::uint16_t>(rows * kIndexHeads * kIndexDim);
    cache = DeviceBuffer<std::uint16_t>((pages + 2) * page_size * kIndexDim);
    fill_vectors<<<1024, 256>>>(query.data(), query.size(), seed + 11, bfloat16, values, false);
    fill_vectors<<<2048, 256>>>(cache.data(), cache.size(), seed + 12, bfloat16, values, true);
    page_table = uploaded(table);
    token_to_request = uploaded(requests_of_rows);
    sequence_lengths = uploaded(lengths);
    query_positions = uploaded(positions);
    inputs = {bfloat16 ? KeyType::kBfloat16 : KeyType::kFloat16,
              query.data(),
              rows,
              cache.data(),
              pages + 2,
              page_size,
              page_table.data(),
              static_cast<std::int32_t>(requests.size()),
              width,
              token_to_request.data(),
              query_positions.data(),
              false,
              sequence_lengths.data(),
              4};
  }

  std::int32_t widest() const { return *std::max_element(lengths.begin(), lengths.end()) / 4; }
};

struct ScoreJudgement {
  unsigned long long compared, beyond_bound, wrong_infinity;
  unsigned int worst_ratio_bits;  ///< float32 bits of the largest error over its bound
};

/// Scores against float64 sums of the exact products. Bound: (9 + 128 / 4) · 2^-23 of the sum of magnitudes,
/// eight truncated tensor-core steps of 17 aligned terms at 25 bits, three sums and a division, rounded up.
[[maybe_unused]] static __global__ void judge_scores(PagedInputs inputs, const std::int32_t* visible,
                                                     const float* scores, std::int64_t row_stride,
                                                     std::int32_t columns, bool infinite_beyond,
                                                     std::int64_t row_step, ScoreJudgement* judgement) {
  const std::int64_t row = blockIdx.y * row_step;
  const std::int32_t request = inputs.token_to_request[row];
  const auto value = [&](const void* base, std::int64_t at) {
    const std::uint16_t bits = static_cast<const std::uint16_t*>(base)[at];
    return static_cast<double>(inputs.type == KeyType::kFloat16
                                   ? __half2float(__ushort_as_half(bits))
                                   : __uint_as_float(static_cast<std::uint32_t>(bits) << 16));
  };
  for (std::int32_t c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += gridDim.x * blockDim.x) {
    const float score = scores[row * row_stride + c];
    const bool live = c < visible[row];
    if (!live && !infinite_beyond) continue;
    const std::int64_t page = live ? physical_page(inputs, request, c / inputs.page_size) : -1;
    if (page < 0) {
      if (score != -INFINITY) atomicAdd(&judgement->wrong_infinity, 1ull);
      continue;
    }
    const std::int64_t key = page * inputs.page_size + c % inputs.page_size;
    double sum = 0, magnitude = 0;
    for (int h = 0; h < kIndexHeads; ++h) {
      double dot = 0;
      for (int d = 0; d < kIndexDim; ++d) {
        const double product = value(inputs.query, (row * kIndexHeads + h) * kIndexDim + d) *
                               value(inputs.key_cache, key * kIndexDim + d);
        dot += product;
        magnitude += fabs(product);
      }
      sum += dot > 0 ? dot : 0;
    }
    const double exact = sum / static_cast<double>(kSqrtIndexDim);
    const double bound = 41.0 * 0x1p-23 * magnitude / static_cast<double>(kSqrtIndexDim);
    const double error = fabs(static_cast<double>(score) - exact);
    atomicAdd(&judgement->compared, 1ull);
    if (!(error <= bound)) atomicAdd(&judgement->beyond_bound, 1ull);
    atomicMax(&judgement->worst_ratio_bits, __float_as_uint(static_cast<float>(error / bound)));
  }
}

}  // namespace plumbline::gpu::bench

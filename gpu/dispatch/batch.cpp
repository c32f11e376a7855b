#include "gpu/dispatch/batch.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

constexpr std::int64_t kMaxRows = (std::int64_t{1} << 31) - 1;
constexpr std::int64_t kMaxColumns = (std::int64_t{1} << 32) - 1;  // row length and stride are uint32
constexpr std::int64_t kMaxHeads = 1024;
constexpr std::int64_t kMaxRatio = 1024;

void check_range(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw std::invalid_argument(fmt::format("{}: expected {} to {}, found {}", what, low, high, value));
  }
}

void check_count(std::string_view what, std::int64_t found, std::int64_t expected) {
  if (found != expected) {
    throw std::invalid_argument(fmt::format("{}: expected {}, found {}", what, expected, found));
  }
}

void check_layout(std::string_view what, const TensorShape& tensor) {
  if (tensor.strides.size() != tensor.shape.size()) {
    throw std::invalid_argument(
        fmt::format("{}: {} extents but {} strides", what, tensor.shape.size(), tensor.strides.size()));
  }
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    check_range(what, tensor.shape[axis], 0, std::int64_t{1} << 40);
    check_range(what, tensor.strides[axis], 0, std::int64_t{1} << 60);
    std::int64_t step = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(tensor.shape[axis] - 1, 0), tensor.strides[axis],
                               &step) ||
        __builtin_add_overflow(last, step, &last)) {
      throw std::invalid_argument(fmt::format("{}: shape {} with strides {} needs offsets beyond 63 bits",
                                              what, to_string(tensor.shape), to_string(tensor.strides)));
    }
  }
}

void check_vector(std::string_view what, const TensorShape& tensor, std::int64_t length) {
  if (tensor.shape != std::vector<std::int64_t>{length}) {
    throw std::invalid_argument(
        fmt::format("{}: expected shape [{}], found {}", what, length, to_string(tensor.shape)));
  }
}

void check_query_starts(const Batch& batch) {
  const std::vector<std::int64_t>& starts = *batch.query_starts;
  check_count("query starts", static_cast<std::int64_t>(starts.size()), batch.requests() + 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    check_range(fmt::format("query starts[{}]", i), starts[i], i == 0 ? 0 : starts[i - 1], batch.rows());
  }
}

void check_attention(const AttentionBatch& attention, std::int64_t rows) {
  check_layout("attention query", attention.query);
  check_layout("key cache", attention.key_cache);
  check_layout("value cache", attention.value_cache);
  check_layout("selected tokens", attention.indices);
  check_layout("block table", attention.block_table);
  check_count("attention query rows", attention.query.extent(0), rows);
  check_count("rows of selected tokens", attention.indices.extent(0), rows);
  check_range("attention query heads", attention.query.extent(1), 0, kMaxHeads);
  check_range("attention key heads", attention.key_cache.extent(2), 0, kMaxHeads);
  check_range("selected tokens per row", attention.indices.extent(1), 0, kMaxRows);
}

}  // namespace

std::int64_t Batch::visible_of(std::int64_t request) const {
  const auto index = static_cast<std::size_t>(request);
  const std::int64_t visible =
      visible_max.empty() ? lengths.at(index) / compress_ratio : visible_max.at(index);
  return std::max<std::int64_t>(visible, 0);
}

void validate(const Batch& batch) {
  check_layout("index query", batch.query);
  check_layout("index key cache", batch.key_cache);
  check_layout("page table", batch.page_table);
  check_layout("token to request", batch.token_to_request);
  check_layout("query positions", batch.query_positions);
  check_layout("sequence lengths", batch.sequence_lengths);
  check_range("rows", batch.rows(), 0, kMaxRows);
  check_range("index heads", batch.query.extent(1), 0, kMaxHeads);
  check_range("requests", batch.requests(), 0, kMaxRows);
  check_range("page size", batch.page_size(), 0, kMaxColumns);
  check_range("page table width", batch.page_table.extent(1), 0, kMaxRows);
  check_range("capacity in blocks", batch.capacity(), 0, kMaxColumns);
  check_range("block top-k", batch.block_topk, 1, kMaxRows);
  check_range("compress ratio", batch.compress_ratio, 1, kMaxRatio);
  check_vector("token to request", batch.token_to_request, batch.rows());
  check_vector("query positions", batch.query_positions, batch.rows());
  check_vector("sequence lengths", batch.sequence_lengths, batch.requests());
  if (batch.visible_max.empty()) {
    check_count("number of lengths", static_cast<std::int64_t>(batch.lengths.size()), batch.requests());
    for (const std::int64_t length : batch.lengths) check_range("sequence length", length, 0, kMaxColumns);
  } else {
    check_count("number of visible maxima", static_cast<std::int64_t>(batch.visible_max.size()),
                batch.requests());
  }
  if (batch.query_starts) check_query_starts(batch);
  if (batch.output && (batch.output->type != ElementType::int32 ||
                       batch.output->shape != std::vector{batch.rows(), batch.selection_width()})) {
    throw std::invalid_argument(fmt::format("output: expected i32 [{}, {}], found {} {}", batch.rows(),
                                            batch.selection_width(), name_of(batch.output->type),
                                            to_string(batch.output->shape)));
  }
  if (batch.attention) check_attention(*batch.attention, batch.rows());
}

Batch make_batch(const std::vector<RequestShape>& requests, std::int64_t page_size, std::int64_t width,
                 ElementType type) {
  const auto count = static_cast<std::int64_t>(requests.size());
  Batch batch;
  batch.query_starts = std::vector<std::int64_t>{0};
  for (const RequestShape& request : requests) {
    batch.lengths.push_back(request.length);
    batch.query_starts->push_back(batch.query_starts->back() + request.rows);
  }
  const std::int64_t rows = batch.query_starts->back();
  batch.query = contiguous(type, {rows, 4, 128});
  batch.key_cache = contiguous(type, {count * width, page_size, 1, 128});
  batch.page_table = contiguous(ElementType::int32, {count, width});
  batch.token_to_request = contiguous(ElementType::int32, {rows});
  batch.query_positions = contiguous(ElementType::int64, {rows});
  batch.sequence_lengths = contiguous(ElementType::int32, {count});
  return batch;
}

AttentionBatch make_attention(std::int64_t rows, std::int64_t query_heads, std::int64_t kv_heads,
                              std::int64_t requests) {
  constexpr std::int64_t kDim = 256, kPage = 784, kBlocks = 64;
  AttentionBatch attention;
  attention.query = contiguous(ElementType::float16, {rows, query_heads, kDim});
  attention.key_cache = contiguous(ElementType::float16, {kBlocks, kPage, kv_heads, kDim});
  attention.key_cache.strides[0] *= 2;
  attention.value_cache = attention.key_cache;
  attention.indices = contiguous(ElementType::int32, {rows, 2051});
  attention.block_table = contiguous(ElementType::int32, {requests, kBlocks});
  return attention;
}

}  // namespace plumbline::dispatch

#include "gpu/subject/device_tensors.h"

#include "fixtures/packed_bytes.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace plumbline::gpu {
namespace {

void require(bool served, const std::string& what) {
  if (!served) throw UnsupportedCase("the CUDA kernels serve " + what);
}

template <typename Integer>
void halve(std::vector<std::byte>& elements) {
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Integer)) {
    Integer value = 0;
    std::memcpy(&value, elements.data() + at, sizeof value);
    if (value > 0) value /= 2;
    std::memcpy(elements.data() + at, &value, sizeof value);
  }
}

KeyType key_type(const PagedSelectInputs& inputs) {
  const DType type = inputs.index_query.dtype;
  require(type == inputs.index_key_cache.dtype && (type == DType::float16 || type == DType::bfloat16),
          "float16 and bfloat16 queries and keys, found " + std::string(name_of(type)));
  return type == DType::float16 ? KeyType::kFloat16 : KeyType::kBfloat16;
}

}  // namespace

DeviceBuffer<std::byte> uploaded(const TensorView& view) {
  const std::vector<std::byte> elements = packed_bytes(view);
  DeviceBuffer<std::byte> buffer(static_cast<std::int64_t>(elements.size()));
  upload(elements, buffer.data());
  return buffer;
}

Tensor downloaded(const void* data, DType type, Shape shape) {
  Tensor tensor(type, std::move(shape));
  if (!tensor.bytes.empty())
    PLUMBLINE_CHECK(cudaMemcpy(tensor.bytes.data(), data, tensor.bytes.size(), cudaMemcpyDeviceToHost));
  return tensor;
}

DevicePagedInputs::DevicePagedInputs(const PagedSelectInputs& inputs)
    : given_positions_(packed_bytes(inputs.query_positions)),
      given_lengths_(packed_bytes(inputs.sequence_lengths)) {
  const SelectGeometry& geometry = inputs.geometry;
  inputs_.type = key_type(inputs);
  inputs_.positions_are_int32 = inputs.query_positions.dtype == DType::int32;
  require(geometry.index_heads == kIndexHeads && geometry.index_head_dim == kIndexDim,
          "4 heads of 128, found " + std::to_string(geometry.index_heads) + " of " +
              std::to_string(geometry.index_head_dim));
  query_ = uploaded(inputs.index_query);
  cache_ = uploaded(inputs.index_key_cache);
  table_ = uploaded(inputs.page_table);
  requests_ = uploaded(inputs.token_to_request);
  positions_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(given_positions_.size()));
  lengths_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(given_lengths_.size()));
  shorten(false);
  inputs_.query = query_.data();
  inputs_.rows = inputs.index_query.extent(0);
  inputs_.key_cache = cache_.data();
  inputs_.pages = inputs.index_key_cache.extent(0);
  inputs_.page_size = static_cast<std::int32_t>(inputs.index_key_cache.extent(1));
  inputs_.page_table = reinterpret_cast<const std::int32_t*>(table_.data());
  inputs_.requests = static_cast<std::int32_t>(inputs.page_table.extent(0));
  inputs_.table_width = static_cast<std::int32_t>(inputs.page_table.extent(1));
  inputs_.token_to_request = reinterpret_cast<const std::int32_t*>(requests_.data());
  inputs_.positions = positions_.data();
  inputs_.sequence_lengths = reinterpret_cast<const std::int32_t*>(lengths_.data());
  inputs_.compress_ratio = geometry.compress_ratio;
  std::int64_t longest = 0;
  for (std::int64_t request = 0; request < inputs.sequence_lengths.extent(0); ++request) {
    std::int32_t tokens = 0;
    std::memcpy(&tokens, inputs.sequence_lengths.at(request), sizeof tokens);
    longest = std::max<std::int64_t>(longest, tokens / geometry.compress_ratio);
  }
  columns_ = static_cast<std::int32_t>(std::min(longest, inputs_.capacity()));
}

void DevicePagedInputs::shorten(bool shortened) {
  std::vector<std::byte> positions = given_positions_, lengths = given_lengths_;
  if (shortened) {
    inputs_.positions_are_int32 ? halve<std::int32_t>(positions) : halve<std::int64_t>(positions);
    halve<std::int32_t>(lengths);
  }
  upload(positions, positions_.data());
  upload(lengths, lengths_.data());
}

}  // namespace plumbline::gpu

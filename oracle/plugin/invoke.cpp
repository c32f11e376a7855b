#include "oracle/plugin/invoke.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plumbline {
namespace {

// The wire carries DType, the interface its own numbers.
static_assert(static_cast<int>(DType::float32) == PLUMBLINE_FLOAT32);
static_assert(static_cast<int>(DType::float16) == PLUMBLINE_FLOAT16);
static_assert(static_cast<int>(DType::bfloat16) == PLUMBLINE_BFLOAT16);
static_assert(static_cast<int>(DType::float8_e4m3fn) == PLUMBLINE_FLOAT8_E4M3FN);
static_assert(static_cast<int>(DType::float8_e5m2) == PLUMBLINE_FLOAT8_E5M2);
static_assert(static_cast<int>(DType::int32) == PLUMBLINE_INT32);
static_assert(static_cast<int>(DType::int64) == PLUMBLINE_INT64);
static_assert(static_cast<int>(DType::uint8) == PLUMBLINE_UINT8);

plumbline_tensor tensor(DType type, const Shape& shape, const Shape& strides, std::byte* data) {
  if (shape.size() > PLUMBLINE_MAX_RANK || shape.size() != strides.size())
    throw std::logic_error("a plugin's tensor has at most four axes");
  plumbline_tensor out{};
  out.data = data;
  out.dtype = static_cast<std::int32_t>(type);
  out.rank = static_cast<std::int32_t>(shape.size());
  std::ranges::copy(shape, out.shape);
  std::ranges::copy(strides, out.strides);
  return out;
}

Shape packed_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Gives out the tensors of a call in the order of the operation's struct.
class Tensors {
 public:
  Tensors(const PluginCall& call, std::span<std::byte* const> inputs, std::span<std::byte* const> outputs)
      : call_(call), inputs_(inputs), outputs_(outputs) {}
  plumbline_tensor in() {
    const PluginInput& input = call_.inputs.at(next_input_);
    std::byte* storage = inputs_.empty() ? nullptr : inputs_[next_input_];
    ++next_input_;
    return tensor(input.dtype, input.shape, input.strides,
                  storage == nullptr ? nullptr : storage + input.first);
  }
  plumbline_tensor out() {
    const PluginOutput& output = call_.outputs.at(next_output_);
    std::byte* storage = outputs_.empty() ? nullptr : outputs_[next_output_];
    ++next_output_;
    return tensor(output.dtype, output.shape, packed_strides(output.shape), storage);
  }

 private:
  const PluginCall& call_;
  std::span<std::byte*const> inputs_, outputs_;
  std::size_t next_input_ = 0, next_output_ = 0;
};

}  // namespace

bool offers(const plumbline_plugin& plugin, PluginOperation operation) {
  switch (operation) {
    case PluginOperation::select:
      return plugin.select != nullptr;
    case PluginOperation::score:
      return plugin.score != nullptr;
    case PluginOperation::select_paged:
      return plugin.select_paged != nullptr;
    case PluginOperation::attend:
      break;
  }
  return plugin.attend != nullptr;
}

plumbline_status invoke(const plumbline_plugin& plugin, plumbline_context& context, const PluginCall& call,
                        std::span<std::byte* const> inputs, std::span<std::byte* const> outputs) {
  Tensors next(call, inputs, outputs);
  const SelectGeometry& g = call.geometry;
  const plumbline_geometry geometry{g.index_heads, g.index_head_dim, g.compress_ratio, g.block_topk};
  // Braces evaluate from left to right, so tensors come in the order of the struct's fields.
  switch (call.operation) {
    case PluginOperation::select: {
      const plumbline_selector selector{sizeof selector, geometry, next.in(), next.in(), next.out()};
      return plugin.select(&context, &selector);
    }
    case PluginOperation::score: {
      const plumbline_scorer scorer{sizeof scorer, geometry, next.in(), next.in(), next.in(), next.out()};
      return plugin.score(&context, &scorer);
    }
    case PluginOperation::select_paged: {
      const plumbline_paged_select select{sizeof select, geometry,   next.in(), next.in(),
                                          next.in(),     next.in(),  next.in(), next.in(),
                                          next.in(),     next.out(), next.out()};
      return plugin.select_paged(&context, &select);
    }
    case PluginOperation::attend:
      break;
  }
  const plumbline_attention attention{sizeof attention, call.scale, next.in(), next.in(), next.in(),
                                      next.in(),        next.in(),  next.in(), next.out()};
  return plugin.attend(&context, &attention);
}

}  // namespace plumbline

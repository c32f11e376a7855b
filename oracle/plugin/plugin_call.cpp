#include "oracle/plugin/plugin_call.h"

#include <algorithm>

namespace plumbline {

std::string_view name_of(PluginOperation operation) {
  switch (operation) {
    case PluginOperation::select:
      return "select";
    case PluginOperation::score:
      return "score";
    case PluginOperation::select_paged:
      return "select_paged";
    case PluginOperation::attend:
      break;
  }
  return "attend";
}

PluginInput plugin_input(std::string name, const TensorView& view) {
  PluginInput input{std::move(name), view.dtype, view.shape, view.strides, 0, 0, {}};
  if (element_count(view.shape) == 0) return input;
  std::int64_t lowest = 0, highest = 0;
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
    lowest += std::min<std::int64_t>(reach, 0);
    highest += std::max<std::int64_t>(reach, 0);
  }
  const auto size = static_cast<std::int64_t>(size_of(view.dtype));
  const std::byte* begin = view.data + lowest * size;
  input.first = -lowest * size;
  input.misaligned = static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(begin) % 64);
  input.storage.assign(begin, view.data + (highest + 1) * size);
  return input;
}

bool PluginFacts::offers_operation(PluginOperation operation) const {
  return std::ranges::find(offers, operation) != offers.end();
}

}  // namespace plumbline

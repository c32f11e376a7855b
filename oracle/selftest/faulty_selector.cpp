#include "oracle/selftest/faulty_selector.h"

#include "reference/numeric/key_bits.h"

#include <algorithm>
#include <cstring>

namespace plumbline::selftest {

std::vector<float> FaultySelector::load(const SelectInputs& inputs, std::int64_t row) const {
  const TensorView& view = *inputs.scores;
  const std::byte* first = view.at(row);
  constexpr auto kElement = static_cast<std::int64_t>(sizeof(float));
  if (access_ == RowAccess::contiguous) first = view.data + row * view.extent(1) * kElement;
  if (access_ == RowAccess::offset_of_32_bits)
    first = view.data + std::int64_t{static_cast<std::uint32_t>(row * view.strides[0])} * kElement;
  std::vector<float> scores(static_cast<std::size_t>(view.extent(1)));
  for (std::size_t block = 0; block < scores.size(); ++block)
    std::memcpy(&scores[block], first + static_cast<std::int64_t>(block) * view.strides[1] * kElement,
                sizeof(float));
  return scores;
}

SelectOutputs FaultySelector::select(const SelectInputs& inputs) {
  if (!inputs.scores) throw UnsupportedCase("given scores");
  const std::int32_t k = inputs.geometry.block_topk;
  SelectOutputs outputs{Tensor(DType::int32, {inputs.rows, k}), std::nullopt};
  std::ranges::fill(outputs.blocks.as<std::int32_t>(), -1);
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    std::int32_t visible = 0;
    std::memcpy(&visible, inputs.visible_blocks.at(row), sizeof visible);
    std::vector<float> scores = load(inputs, row);
    const Blocks blocks = select_({scores, visible, k, row, inputs.rows, calls_}, workspace_);
    const std::int64_t slot = access_ == RowAccess::rows_exchanged ? std::min(row ^ 1, inputs.rows - 1) : row;
    std::ranges::copy_n(blocks.begin(), std::min<std::int64_t>(std::ssize(blocks), k),
                        outputs.blocks.as<std::int32_t>().begin() + slot * k);
    if (access_ == RowAccess::sorted_in_place) {
      std::ranges::sort(scores, [](float a, float b) { return score_key(a) > score_key(b); });
      std::memcpy(const_cast<std::byte*>(inputs.scores->at(row)), scores.data(),
                  scores.size() * sizeof(float));
    }
  }
  ++calls_;
  return outputs;
}

PagedSelectOutputs FaultySelector::select_paged(const PagedSelectInputs&) {
  throw UnsupportedCase("given scores");
}

}  // namespace plumbline::selftest

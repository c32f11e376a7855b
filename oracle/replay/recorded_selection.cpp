#include "oracle/replay/recorded_selection.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::vector<std::int32_t> difference(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::vector<std::int32_t> only;
  std::ranges::set_difference(a, b, std::back_inserter(only));
  return only;
}

/// As many blocks on both sides, all of one score.
bool only_ties(const std::vector<std::int32_t>& theirs, const std::vector<std::int32_t>& ours,
               std::int64_t blocks, const QsaLayer::SameScore& same_score) {
  if (theirs.size() != ours.size()) return false;
  return std::ranges::all_of(theirs,
                             [&](std::int32_t block) {
                               return block >= 0 && block < blocks && same_score(block, ours.front());
                             }) &&
         std::ranges::all_of(ours, [&](std::int32_t block) { return same_score(block, ours.front()); });
}

/// `blocks` ascending.
bool can_attend(const std::vector<std::int32_t>& blocks, std::size_t count, std::int64_t visible) {
  return blocks.size() == count && std::ranges::adjacent_find(blocks) == blocks.end() &&
         (blocks.empty() || (blocks.front() >= 0 && blocks.back() < visible));
}

}  // namespace

RecordedSelection::RecordedSelection(const RecordedForward& forward, const ModelConfig& config)
    : forward_(&forward), config_(&config) {
  if (!forward.has("selection/blocks")) return;
  blocks_ = &forward.tensor("selection/blocks");
  std::int64_t expected = 0;
  for (const LiveTokens& live : forward.sequences()) expected += rows_of(live);
  expected *= std::ranges::count(config.layer_is_sparse, true);
  if (blocks_->dtype != DType::int32 || blocks_->shape.size() != 2 || blocks_->extent(0) != expected) {
    throw InputError(fmt::format("/forward/{}/selection/blocks: expected int32 [{}, k], found {} {}",
                                 forward.name(), expected, name_of(blocks_->dtype),
                                 to_string(blocks_->shape)));
  }
}

std::int64_t RecordedSelection::rows_of(const LiveTokens& live) const {
  const std::int64_t first_ranked = config_->indexer.geometry.compress_ratio - 1;  // live position
  return std::clamp<std::int64_t>(live.earlier + live.count - first_ranked, 0, live.count);
}

std::vector<std::int32_t> RecordedSelection::blocks_of_row(std::int64_t layer, const LiveTokens& live,
                                                           std::int64_t index) const {
  const Tensor& recorded = forward_->tensor("selection/blocks");
  std::int64_t per_layer = 0, before = 0;
  for (const LiveTokens& sequence : forward_->sequences()) {
    before += sequence.batch < live.batch ? rows_of(sequence) : 0;
    per_layer += rows_of(sequence);
  }
  const auto sparse_before =
      std::count(config_->layer_is_sparse.begin(), config_->layer_is_sparse.begin() + layer, true);
  const std::int64_t width = recorded.extent(1);
  std::vector<std::int32_t> blocks;
  std::ranges::copy_if(recorded.as<std::int32_t>().subspan(
                           static_cast<std::size_t>((sparse_before * per_layer + before + index) * width),
                           static_cast<std::size_t>(width)),
                       std::back_inserter(blocks), [](std::int32_t block) { return block >= 0; });
  return blocks;
}

std::vector<std::int32_t> RecordedSelection::of_query(std::int64_t layer, const LiveTokens& live,
                                                      std::int64_t position) const {
  const std::int64_t first_ranked = config_->indexer.geometry.compress_ratio - 1;
  if (position < first_ranked) return {};
  return blocks_of_row(layer, live, position - std::max(live.earlier, first_ranked));
}

std::vector<std::int32_t> RecordedSelection::follow(std::int64_t layer, const LiveTokens& live,
                                                    std::int64_t row,
                                                    const std::vector<std::int32_t>& canonical,
                                                    const QsaLayer::SameScore& same_score,
                                                    SelectionFollowing& tally) const {
  if (blocks_ == nullptr) return canonical;
  std::vector<std::int32_t> theirs = blocks_of_row(layer, live, row), ours = canonical;
  std::ranges::sort(theirs);
  std::ranges::sort(ours);
  ++tally.rows;
  if (theirs == ours) return canonical;
  const std::int64_t call_position = live.earlier + live.count - rows_of(live) + row;
  const std::int64_t visible = (call_position + 1) / config_->indexer.geometry.compress_ratio;
  if (only_ties(difference(theirs, ours), difference(ours, theirs), visible, same_score)) {
    ++tally.followed;
    return theirs;
  }
  if (tally.parted++ == 0) {
    tally.first_parted = fmt::format("forward {}, layer {}, batch row {}, live position {}", forward_->name(),
                                     layer, live.batch, call_position);
  }
  return tally.conditioned && can_attend(theirs, ours.size(), visible) ? theirs : canonical;
}

}  // namespace plumbline

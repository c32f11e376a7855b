#include "reference/select/panel_filter.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr std::int64_t kStepSlots = 4 * kMaxStripKeys;
constexpr int kMaxTileHeads = 16;

}  // namespace

PanelFilter::PanelFilter(const FilterKernel& kernel, const FilterKeys& keys, std::int64_t heads,
                         std::int64_t dim)
    : kernel_(kernel), keys_(keys), queries_(kernel, heads, dim) {}

void PanelFilter::reset(std::int64_t rows) {
  queries_.reset(rows);
  reach_ = 0;
  if (static_cast<std::int64_t>(shortlists_.size()) < rows)
    shortlists_.resize(static_cast<std::size_t>(rows));
}

void PanelFilter::add_row(const RowInQuestion& row, std::span<const float> query) {
  const auto index = static_cast<std::size_t>(queries_.rows());
  queries_.add_row(query);
  shortlists_[index].reset(row, queries_.width(queries_.rows() - 1), keys_.norms());
  reach_ = std::max(reach_, row.slots);
}

void PanelFilter::run() {
  uppers_.resize(static_cast<std::size_t>(queries_.rows() * kStepSlots));
  sums_of_head_.clear();
  for (std::int64_t head = 0; head < queries_.tiles() * kernel_.heads; ++head) {
    sums_of_head_.push_back(uppers_.data() + queries_.row_of(head) * kStepSlots);
  }
  for (std::int64_t first = 0; first < reach_; first += kStepSlots) {
    const std::int64_t count = std::min(kStepSlots, reach_ - first);
    bound_scores(first, count);
    for (std::int64_t row = 0; row < queries_.rows(); ++row) {
      shortlists_[static_cast<std::size_t>(row)].offer(first, count, uppers_.data() + row * kStepSlots);
    }
  }
}

void PanelFilter::bound_scores(std::int64_t first, std::int64_t count) {
  std::fill(uppers_.begin(), uppers_.end(), 0.0f);
  for (std::int64_t offset = 0; offset < count; offset += kernel_.keys) {
    for (std::int64_t tile = 0; tile < queries_.tiles(); ++tile) {
      std::array<float*, kMaxTileHeads> sums;
      for (int j = 0; j < kernel_.heads; ++j) {
        sums[static_cast<std::size_t>(j)] =
            sums_of_head_[static_cast<std::size_t>(tile * kernel_.heads + j)] + offset;
      }
      kernel_.relu_tile(queries_.dim(), queries_.tile(tile), queries_.slack(tile),
                        keys_.strip(first + offset), keys_.norms() + first + offset, sums.data());
    }
  }
}

}  // namespace plumbline

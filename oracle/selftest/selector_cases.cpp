#include "oracle/selftest/selector_cases.h"

#include "fixtures/cases/random.h"
#include "fixtures/packed_bytes.h"
#include "oracle/run/row_batch.h"

#include <algorithm>
#include <cstring>

namespace plumbline::selftest {
namespace {

constexpr std::int64_t kRows = 24;

GeneratedSelect scores_alone(const GeneratedSelect& whole) {
  GeneratedSelect data;
  data.geometry = whole.geometry;
  data.rows = whole.rows;
  data.blocks = whole.blocks;
  data.visible_blocks = whole.visible_blocks;
  data.scores.emplace(DType::float32, Shape{whole.rows, whole.blocks});
  data.scores->bytes = packed_bytes(*whole.inputs().scores);
  return data;
}

/// Negative, none, around k, and long and short rows by turns.
SelectorCase lengths_far_apart(std::uint64_t seed_shift) {
  SelectorCase one{"lengths_far_apart", {}};
  GeneratedSelect& data = one.data;
  data.geometry.block_topk = 64;
  data.rows = kRows;
  data.blocks = 900;
  data.visible_blocks = Tensor(DType::int32, {kRows});
  data.scores.emplace(DType::float32, Shape{kRows, data.blocks});
  Random random(11 + seed_shift);
  for (float& score : data.scores->as<float>()) score = static_cast<float>(random.normal());
  constexpr std::int64_t kEdges[] = {300, -1, 0, 1, 63, 64, 65};
  for (std::int64_t row = 0; row < kRows; ++row) {
    const std::int64_t visible = row < std::ssize(kEdges) ? kEdges[row]
                                 : row % 3 == 1           ? 70 + row
                                                          : 900 - 7 * row;
    data.visible_blocks.as<std::int32_t>()[static_cast<std::size_t>(row)] =
        static_cast<std::int32_t>(visible);
  }
  return one;
}

}  // namespace

std::vector<SelectorCase> selector_cases(std::uint64_t seed_shift) {
  std::vector<SelectorCase> cases;
  for (const DataFamily& family : data_families()) {
    CaseSpec spec = parse_case(family.default_case);
    if (!family.gives_scores || spec.kind != CaseSpec::Kind::select) continue;
    spec.rows = std::min(spec.rows, kRows);
    spec.seed += seed_shift;
    cases.push_back({family.name, scores_alone(generate_select(spec))});
  }
  cases.push_back(lengths_far_apart(seed_shift));
  return cases;
}

GeneratedSelect filled_behind(const GeneratedSelect& data, float fill) {
  GeneratedSelect filled = data;
  const SelectInputs inputs = data.inputs();
  for (std::int64_t row = 0; row < data.rows; ++row) {
    const auto line = filled.scores->as<float>().subspan(static_cast<std::size_t>(row * data.blocks),
                                                         static_cast<std::size_t>(data.blocks));
    std::ranges::fill(line.subspan(static_cast<std::size_t>(visible_count(inputs, row))), fill);
  }
  return filled;
}

GeneratedSelect spread_rows(const GeneratedSelect& data) {
  GeneratedSelect spread = data;
  PaddedRows rows;
  rows.shape = {data.rows, data.blocks};
  rows.row_stride = data.blocks + 5;
  rows.storage = Tensor(DType::float32, {data.rows * rows.row_stride});
  std::ranges::fill(rows.storage.as<float>(), 3e38F);
  for (std::int64_t row = 0; row < data.rows; ++row)
    std::copy_n(data.scores->as<float>().begin() + row * data.blocks, data.blocks,
                rows.storage.as<float>().begin() + row * rows.row_stride);
  spread.padded_scores = std::move(rows);
  return spread;
}

}  // namespace plumbline::selftest

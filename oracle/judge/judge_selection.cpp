#include "oracle/judge/judge_selection.h"

#include "fixtures/error.h"
#include "oracle/judge/row_group.h"
#include "oracle/judge/selection_tally.h"
#include "reference/select/select_views.h"

#include <fmt/format.h>

namespace plumbline {

SelectionReport judge_selection(const SelectionClaim& claim, const JudgeOptions& options) {
  const SelectInputs& inputs = *claim.inputs;
  const SelectGeometry& geometry = inputs.geometry;
  if (geometry.block_topk < 1) {
    throw InputError(fmt::format("block_topk: expected at least 1, found {}", geometry.block_topk));
  }
  const auto any_order = float32_any_order(geometry.index_heads, geometry.index_head_dim);
  const ErrorModel& error_model = options.error_model != nullptr ? *options.error_model : *any_order;

  SelectionTally tally(inputs.rows, options);
  RowGroup group;
  group.inputs = &inputs;
  group.key_valid = claim.key_valid;
  group.claimed_width = geometry.block_topk;
  group.claimed = claim.claimed;
  group.read = [&](std::int64_t row, std::span<const std::int32_t> entries) {
    return read_claimed_row(entries, visible_of(inputs, row));
  };
  group.scores = claim.scores;
  group.number = [](std::int64_t row) { return row; };
  judge_group(group, options, error_model, tally);

  SelectionReport report = tally.finish();
  if (inputs.index_query && inputs.index_key) report.error_model = error_model.name();
  return report;
}

}  // namespace plumbline

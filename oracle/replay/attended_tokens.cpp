#include "oracle/replay/attended_tokens.h"

#include "reference/model/expand_tokens.h"

#include <algorithm>

namespace plumbline {

Rows<Bounded> attended_by_selection(const RecordedSelection& selection, std::int64_t layer,
                                    const LiveTokens& live, const SelectGeometry& geometry) {
  Rows<Bounded> attended(live.count, live.earlier + live.count);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(geometry.token_width()));
  for (std::int64_t t = 0; t < live.count; ++t) {
    const std::int64_t position = live.earlier + t;
    std::vector<std::int32_t> blocks = selection.of_query(layer, live, position);
    blocks.resize(static_cast<std::size_t>(geometry.block_topk), -1);
    expand_tokens(blocks, position, position + 1, geometry.compress_ratio, tokens);
    for (const std::int32_t token : tokens) {
      if (token >= 0) attended.row(t)[static_cast<std::size_t>(token)] = {1, 0};
    }
  }
  return attended;
}

Rows<double> attended_by_mask(const RecordedForward& forward, const std::string& dataset,
                              const LiveTokens& live) {
  const Rows<double> mask = forward.live_rows(dataset, live);
  const bool additive = is_floating(forward.dtype(dataset));
  Rows<double> attended(live.count, live.earlier + live.count);
  for (std::int64_t t = 0; t < live.count; ++t) {
    const auto columns = mask.row(t).last(attended.row(t).size());
    std::ranges::transform(columns, attended.row(t).begin(),
                           [additive](double x) { return (x == 0) == additive ? 1.0 : 0.0; });
  }
  return attended;
}

std::vector<std::vector<std::int32_t>> token_lists(const Rows<double>& attended, const LiveTokens& live) {
  std::vector<std::vector<std::int32_t>> lists(static_cast<std::size_t>(attended.rows));
  for (std::int64_t t = 0; t < attended.rows; ++t) {
    for (std::int64_t token = 0; token <= live.earlier + t; ++token) {
      if (attended.row(t)[static_cast<std::size_t>(token)] != 0)
        lists[static_cast<std::size_t>(t)].push_back(static_cast<std::int32_t>(token));
    }
  }
  return lists;
}

}  // namespace plumbline

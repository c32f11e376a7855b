#include "oracle/plugin/score_bound.h"

#include "fixtures/small_float.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/certified_select.h"
#include "reference/select/select_views.h"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::vector<double> decoded(const TensorView& view) {
  std::vector<double> values;
  const auto rank = view.shape.size();
  values.reserve(static_cast<std::size_t>(element_count(view.shape)));
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < (rank > 1 ? view.extent(1) : 1); ++j)
      for (std::int64_t k = 0; k < (rank > 2 ? view.extent(2) : 1); ++k)
        values.push_back(decode_element(view.dtype, rank > 2 ? view.at(i, j, k) : view.at(i, j)));
  return values;
}

}  // namespace

ScoreBoundReport judge_scores(const SelectInputs& inputs, const Tensor& scores, const ErrorModel& model,
                              int threads) {
  ScoreBoundReport report;
  CertifyOptions options;
  options.threads = threads;
  const CertifiedSelector selector(inputs, {}, options);
  const double root = std::sqrt(static_cast<double>(inputs.geometry.index_head_dim));
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    if (!selector.row(row)) continue;
    ++report.rows;
    const TensorView query = query_of(inputs, row);
    const std::int64_t visible = visible_of(inputs, row);
    for (std::int64_t block = 0; block < visible; ++block) {
      const double exact = selector.score(row, block).to_double() / root;
      const double claimed = scores.as<float>()[static_cast<std::size_t>(row * inputs.blocks + block)];
      const double allowed =
          (1 + 0x1p-40) * (model.bound(query, key_of(inputs, block), selector.magnitude(row, block)) / root +
                           0x1p-24 * std::abs(claimed) + 0x1p-149);
      ++report.scores;
      const double distance = std::abs(claimed - exact);
      const double share = std::isfinite(distance) ? (distance == 0 ? 0 : distance / allowed)
                                                   : std::numeric_limits<double>::infinity();
      if (share > 1) ++report.beyond;
      if (share <= report.largest_share) continue;
      report.largest_share = share;
      if (share <= 1) continue;
      report.worst_row = row;
      report.worst_block = block;
      report.worst = fmt::format("row {}, block {}: score {:.9g}, exact {:.17g}, allowed {:.3g} off", row,
                                 block, claimed, exact, allowed);
    }
  }
  return report;
}

Tensor plain_scores(const SelectInputs& inputs) {
  const std::vector<double> query = decoded(*inputs.index_query), key = decoded(*inputs.index_key);
  const auto heads = static_cast<std::size_t>(inputs.index_query->extent(1)),
             dim = static_cast<std::size_t>(inputs.index_query->extent(2));
  Tensor scores(DType::float32, {inputs.rows, inputs.blocks});
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    const std::int64_t visible = visible_of(inputs, row);
    for (std::int64_t block = 0; block < inputs.blocks; ++block) {
      double score = block < visible ? 0 : std::numeric_limits<double>::quiet_NaN();
      for (std::size_t head = 0; block < visible && head < heads; ++head) {
        const double* q = &query[(static_cast<std::size_t>(row) * heads + head) * dim];
        const double* k = &key[static_cast<std::size_t>(block) * dim];
        double dot = 0;
        for (std::size_t d = 0; d < dim; ++d) dot += q[d] * k[d];
        score += dot < 0 ? 0 : dot;
      }
      const auto rounded = static_cast<float>(score);
      scores.as<float>()[static_cast<std::size_t>(row * inputs.blocks + block)] =
          std::isnan(rounded) ? std::numeric_limits<float>::quiet_NaN() : rounded;
    }
  }
  return scores;
}

}  // namespace plumbline

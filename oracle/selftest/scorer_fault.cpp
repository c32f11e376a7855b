#include "oracle/selftest/scorer_fault.h"

#include "fixtures/packed_bytes.h"
#include "oracle/run/row_batch.h"
#include "reference/numeric/decode_row.h"
#include "reference/select/select_by_key.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline::selftest {
namespace {

std::vector<float> decoded(const TensorView& view) {
  const std::vector<std::byte> bytes = packed_bytes(view);
  std::vector<float> values(bytes.size() / size_of(view.dtype));
  decode_row(view.dtype, bytes.data(), 1, values);
  return values;
}

}  // namespace

float ScorePair::scale() const { return 1.0F / std::sqrt(static_cast<float>(dim)); }

float head_dot(const ScorePair& pair, std::int64_t head) {
  float dot = 0;
  for (std::int64_t d = 0; d < pair.dim; ++d) dot += pair.query(head, d) * pair.key(d);
  return dot;
}

float relu(float x) { return x < 0 ? 0.0F : x; }

float honest_score(const ScorePair& pair) {
  float sum = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head) sum += relu(head_dot(pair, head));
  return sum * pair.scale();
}

SelectOutputs FaultyScorer::select(const SelectInputs& inputs) {
  if (!inputs.index_query || !inputs.index_key) throw UnsupportedCase("query and key");
  const std::vector<float> queries = decoded(*inputs.index_query), keys = decoded(*inputs.index_key);
  const std::int32_t k = inputs.geometry.block_topk;
  SelectOutputs outputs{Tensor(DType::int32, {inputs.rows, k}),
                        Tensor(DType::float32, {inputs.rows, inputs.blocks})};
  std::ranges::fill(outputs.blocks.as<std::int32_t>(), -1);
  std::ranges::fill(outputs.scores->as<float>(), std::numeric_limits<float>::quiet_NaN());
  ScorePair pair{
      queries, keys, inputs.rows, inputs.blocks, inputs.geometry.index_heads, inputs.geometry.index_head_dim};
  for (pair.row = 0; pair.row < inputs.rows; ++pair.row) {
    const std::int64_t visible =
        std::clamp<std::int64_t>(visible_count(inputs, pair.row) + fault_.visible_shift, 0, inputs.blocks);
    const auto scores = outputs.scores->as<float>().subspan(
        static_cast<std::size_t>(pair.row * inputs.blocks), static_cast<std::size_t>(inputs.blocks));
    for (pair.block = 0; pair.block < visible; ++pair.block)
      scores[static_cast<std::size_t>(pair.block)] = fault_.score(pair);
    std::ranges::copy(select_by_key(scores, visible, k),
                      outputs.blocks.as<std::int32_t>().begin() + pair.row * k);
  }
  return outputs;
}

PagedSelectOutputs FaultyScorer::select_paged(const PagedSelectInputs&) {
  throw UnsupportedCase("query and key");
}

}  // namespace plumbline::selftest

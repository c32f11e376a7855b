#include "fixtures/small_float.h"
#include "oracle/selftest/scorer_fault.h"

#include <algorithm>
#include <cmath>

namespace plumbline::selftest {
namespace {

float rounded(DType type, float value) {
  return std::isfinite(value) ? static_cast<float>(round_to(type, value)) : value;
}

/// Σ_h relu(dot(h)) · scale.
float head_sum(const ScorePair& pair, const std::function<float(std::int64_t head)>& dot) {
  float sum = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head) sum += relu(dot(head));
  return sum * pair.scale();
}

float missing_head(const ScorePair& pair) {
  return head_sum(pair,
                  [&](std::int64_t head) { return head + 1 == pair.heads ? 0.0F : head_dot(pair, head); });
}

float relu_after_the_sum(const ScorePair& pair) {
  float sum = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head) sum += head_dot(pair, head);
  return relu(sum) * pair.scale();
}

float magnitude_for_relu(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) { return std::abs(head_dot(pair, head)); });
}

float scaled_twice(const ScorePair& pair) { return honest_score(pair) * pair.scale(); }

float unscaled(const ScorePair& pair) { return honest_score(pair) / pair.scale(); }

float last_step_missing(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim - 8; ++d) dot += pair.query(head, d) * pair.key(d);
    return dot;
  });
}

float stored_as_fp16(const ScorePair& pair) { return rounded(DType::float16, honest_score(pair)); }

float summed_in_fp16(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d)
      dot = rounded(DType::float16, dot + pair.query(head, d) * pair.key(d));
    return dot;
  });
}

float scaled_query_rounded(const ScorePair& pair) {
  float sum = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d)
      dot += rounded(DType::bfloat16, pair.query(head, d) * pair.scale()) * pair.key(d);
    sum += relu(dot);
  }
  return sum;
}

float relu_drops_nan(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) {
    const float dot = head_dot(pair, head);
    return dot > 0 ? dot : 0.0F;
  });
}

float subnormals_flushed(const ScorePair& pair) {
  const auto flushed = [](float value) { return std::abs(value) < 0x1p-126F ? 0.0F : value; };
  return flushed(head_sum(pair, [&](std::int64_t head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d)
      dot = flushed(dot + flushed(flushed(pair.query(head, d)) * flushed(pair.key(d))));
    return dot;
  }));
}

float query_of_the_next_row(const ScorePair& pair) {
  ScorePair other = pair;
  other.row = std::min(pair.row + 1, pair.rows - 1);
  return honest_score(other);
}

float key_of_the_next_block(const ScorePair& pair) {
  ScorePair other = pair;
  other.block = std::min(pair.block + 1, pair.blocks - 1);
  return honest_score(other);
}

float heads_and_dims_exchanged(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d) {
      const std::int64_t at = d * pair.heads + head;
      dot += pair.query(at / pair.dim, at % pair.dim) * pair.key(d);
    }
    return dot;
  });
}

float last_columns_zero(const ScorePair& pair) {
  return pair.block >= pair.blocks / 8 * 8 - 8 ? 0.0F : honest_score(pair);
}

float second_tile_repeats_the_first(const ScorePair& pair) {
  ScorePair other = pair;
  if (pair.block >= 256) other.block = pair.block % 256;
  return honest_score(other);
}

float order_by_batch(const ScorePair& pair) {
  if (pair.rows <= 4) return honest_score(pair);
  return head_sum(pair, [&](std::int64_t head) {
    float even = 0, odd = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d)
      (d % 2 == 0 ? even : odd) += pair.query(head, d) * pair.key(d);
    return even + odd;
  });
}

float heads_weighted(const ScorePair& pair) {
  float sum = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head)
    sum += relu(head_dot(pair, head)) * (head == 0 ? 1.0F + 0x1p-8F : 1.0F);
  return sum * pair.scale();
}

float keys_of_8_bits(const ScorePair& pair) {
  return head_sum(pair, [&](std::int64_t head) {
    float dot = 0;
    for (std::int64_t d = 0; d < pair.dim; ++d)
      dot += pair.query(head, d) * rounded(DType::float8_e4m3fn, pair.key(d));
    return dot;
  });
}

float largest_head(const ScorePair& pair) {
  float largest = 0;
  for (std::int64_t head = 0; head < pair.heads; ++head) {
    const float dot = relu(head_dot(pair, head));
    largest = std::isnan(dot) || std::isnan(largest) ? dot + largest : std::max(largest, dot);
  }
  return largest * pair.scale();
}

}  // namespace

std::vector<ScorerFault> scorer_faults() {
  return {
      {"missing_head", "MODEL §2", "the last head is left out", "end_to_end", missing_head},
      {"relu_after_the_sum", "MODEL §2", "the heads are added before the ReLU", "end_to_end",
       relu_after_the_sum},
      {"magnitude_for_relu", "TOPK §5", "a head's magnitude in place of its ReLU", "end_to_end",
       magnitude_for_relu},
      {"largest_head", "MODEL §2", "the largest head in place of their sum", "end_to_end", largest_head},
      {"heads_weighted", "MODEL §2", "the first head counts 2^-8 more", "end_to_end", heads_weighted},
      {"scaled_twice", "MODEL §2", "1/sqrt(dim) twice", "bound", scaled_twice},
      {"unscaled", "MODEL §2", "no 1/sqrt(dim)", "bound", unscaled},
      {"last_step_missing", "TOPK §6", "the last 8 of dim are left out", "end_to_end", last_step_missing},
      {"stored_as_fp16", "TOPK T11", "scores are stored in fp16", "bound", stored_as_fp16},
      {"summed_in_fp16", "TOPK §6", "a head is summed in fp16", "bound", summed_in_fp16},
      {"scaled_query_rounded", "CASES D8", "query times scale is rounded to bf16 before the product", "bound",
       scaled_query_rounded},
      {"keys_of_8_bits", "CASES D11", "keys are stored as e4m3 without a scale", "end_to_end",
       keys_of_8_bits},
      {"relu_drops_nan", "TOPK T7", "the ReLU makes zero of NaN", "special", relu_drops_nan},
      {"subnormals_flushed", "TOPK T10", "subnormal numbers count as zero", "bound", subnormals_flushed},
      {"query_of_the_next_row", "CASES F2", "the next row's query", "end_to_end", query_of_the_next_row},
      {"key_of_the_next_block", "TOPK T21", "the next block's key", "end_to_end", key_of_the_next_block},
      {"heads_and_dims_exchanged", "CASES E6", "the query is read as [dim, heads]", "end_to_end",
       heads_and_dims_exchanged},
      {"last_columns_zero", "TOPK T16", "the last columns are left at zero", "end_to_end", last_columns_zero},
      {"second_tile_repeats_the_first", "ROUTES §2", "every tile of 256 columns reads the first one's keys",
       "end_to_end", second_tile_repeats_the_first},
      {"order_by_batch", "TOPK T13, T19", "more than 4 rows are added in another order", "batch",
       order_by_batch},
      {"unfinished_block_visible", "MODEL §2", "a row sees the block behind its last complete one",
       "structure", honest_score, 1},
      {"newest_block_hidden", "MODEL §2", "a row does not see its newest complete block", "structure",
       honest_score, -1},
  };
}

}  // namespace plumbline::selftest

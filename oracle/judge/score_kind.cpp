#include "oracle/judge/score_kind.h"

#include "reference/numeric/decode_row.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {
namespace {

/// Of one head, after its ReLU. `room`: what its products may add up to with no overflow on the way.
ScoreKind head_kind(std::span<const float> query, std::span<const float> key, double room) {
  bool above = false, below = false;
  double magnitude = 0;
  for (std::size_t d = 0; d < query.size(); ++d) {
    const double product = static_cast<double>(query[d]) * static_cast<double>(key[d]);
    if (std::isnan(product)) return ScoreKind::not_a_number;
    if (std::isinf(product)) {
      (product > 0 ? above : below) = true;
    } else {
      magnitude += std::abs(product);
    }
  }
  if (above && below) return ScoreKind::not_a_number;
  if (magnitude >= room) return ScoreKind::undetermined;
  return above ? ScoreKind::infinite : ScoreKind::finite;
}

}  // namespace

ScoreKind score_kind(const TensorView& query, const TensorView& key) {
  const auto dim = static_cast<std::size_t>(key.extent(0));
  std::vector<float> query_row(dim), key_row(dim);
  decode_row(key.dtype, key.data, key.strides[0], key_row);
  // Half of float32's range covers every rounding on the way.
  const double room = 0x1p127 / static_cast<double>(query.extent(0));
  ScoreKind sum = ScoreKind::finite;
  for (std::int64_t head = 0; head < query.extent(0); ++head) {
    decode_row(query.dtype, query.at(head), query.strides[1], query_row);
    const ScoreKind kind = head_kind(query_row, key_row, room);
    if (kind == ScoreKind::not_a_number) return kind;
    sum = std::max(sum, kind);
  }
  return sum;
}

bool is_of_kind(float score, ScoreKind kind) {
  switch (kind) {
    case ScoreKind::finite:
      return std::isfinite(score);
    case ScoreKind::infinite:
      return std::isinf(score) && score > 0;
    case ScoreKind::not_a_number:
      return std::isnan(score);
    case ScoreKind::undetermined:
      return true;
  }
  return false;
}

const char* name_of(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::finite:
      return "finite";
    case ScoreKind::infinite:
      return "infinite";
    case ScoreKind::not_a_number:
      return "NaN";
    case ScoreKind::undetermined:
      return "undetermined";
  }
  return "";
}

}  // namespace plumbline

#pragma once

#include "fixtures/attention_subject.h"
#include "reference/model/rounding_profile.h"
#include "reference/model/rows.h"

#include <cstdint>
#include <memory>

namespace plumbline {

/// What a row attends to, gathered in the order of its selection, as numbers of the cache's bits: [tokens,
/// key_value_heads·dim]; scales are not applied.
struct AttendedRow {
  Rows<double> query;  ///< [heads, dim]
  Rows<double> keys, values;
  bool finite = true;  ///< of query, keys and values

  std::int64_t tokens() const { return keys.rows; }
};

AttendedRow gather_row(const AttentionInputs& inputs, std::int64_t row);

/// Row `row` of a tensor [rows, …] as doubles, in `count` rows.
Rows<double> decoded_row(const TensorView& tensor, std::int64_t row, std::int64_t count);

/// The reference: sparse_attention on every row's own selection with the roundings of a profile; the
/// log-sum-exp is that of the exact scores, rounded once. Rows run in parallel.
AttentionOutputs paged_attention(const AttentionInputs& inputs, const RoundingProfile& profile);

/// The same as a subject.
std::unique_ptr<AttentionSubject> reference_attention(const RoundingProfile& profile);

}  // namespace plumbline

#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// Some rows of a selection, in any order and any of them more than once, as a selection of their own on the
/// same keys.
class RowBatch {
 public:
  /// `whole` outlives this.
  RowBatch(const SelectInputs& whole, std::vector<std::int64_t> rows);
  SelectInputs inputs() const;
  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  const SelectInputs& whole_;
  std::vector<std::int64_t> rows_;
  std::optional<Tensor> query_, scores_;
  Tensor visible_;
};

/// Visible blocks of a row, as a count: never negative.
std::int64_t visible_count(const SelectInputs& inputs, std::int64_t row);

}  // namespace plumbline

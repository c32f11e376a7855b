#pragma once

#include "fixtures/subject.h"
#include "oracle/selftest/row_fault.h"

#include <string>
#include <vector>

namespace plumbline::selftest {

/// How a selector finds its rows.
enum class RowAccess : std::uint8_t {
  by_stride,
  contiguous,         ///< rows are taken to follow each other without a gap
  offset_of_32_bits,  ///< row times stride wraps at 2^32
  sorted_in_place,    ///< the scores are sorted where they lie
  rows_exchanged,     ///< neighbours get each other's selection
};

/// A selection on given scores with a fault. Refuses inputs without scores.
class FaultySelector final : public SelectSubject {
 public:
  FaultySelector(std::function<Blocks(const ScoreRow&, Workspace&)> select, RowAccess access)
      : select_(std::move(select)), access_(access) {}
  std::string name() const override { return "mutant"; }
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

 private:
  std::vector<float> load(const SelectInputs& inputs, std::int64_t row) const;

  std::function<Blocks(const ScoreRow&, Workspace&)> select_;
  RowAccess access_;
  Workspace workspace_;
  std::int64_t calls_ = 0;
};

}  // namespace plumbline::selftest

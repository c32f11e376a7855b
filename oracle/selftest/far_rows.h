#pragma once

#include "fixtures/subject.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace plumbline::selftest {

/// Two rows of scores so far apart in memory that row times stride does not fit 32 bits: row 1 begins 2^32 +
/// 64 elements behind row 0. Only the pages of the two rows (and of what a wrapped offset finds) are ever
/// touched.
class FarRows {
 public:
  static constexpr std::int64_t kBlocks = 512, kStride = (std::int64_t{1} << 32) + 64;

  FarRows();
  ~FarRows();
  FarRows(const FarRows&) = delete;
  FarRows& operator=(const FarRows&) = delete;

  /// False where the system grants no such address range.
  bool there() const { return memory_ != nullptr; }
  SelectInputs inputs() const;

 private:
  std::byte* memory_ = nullptr;
  Tensor visible_;
};

}  // namespace plumbline::selftest

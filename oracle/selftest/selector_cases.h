#pragma once

#include "fixtures/cases/generate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::selftest {

/// Rows of scores to select from.
struct SelectorCase {
  std::string name;
  GeneratedSelect data;  ///< with scores, packed; query and key are left out
};

/// The case of every family that gives scores, cut to 24 rows, and rows of far apart lengths one after the
/// other.
std::vector<SelectorCase> selector_cases(std::uint64_t seed_shift);

/// The same scores with `fill` behind every row's visible count.
GeneratedSelect filled_behind(const GeneratedSelect& data, float fill);
/// The same scores with five more columns of poison between the rows.
GeneratedSelect spread_rows(const GeneratedSelect& data);

}  // namespace plumbline::selftest

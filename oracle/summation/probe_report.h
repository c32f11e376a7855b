#pragma once

#include "oracle/report/report_json.h"
#include "oracle/summation/accumulator_probe.h"
#include "oracle/summation/sum_box.h"
#include "reference/summation/sum_tree.h"

#include <optional>
#include <string>

namespace plumbline {

/// What probing a box showed.
struct ProbeReport {
  std::string box;
  std::int64_t terms = 0;
  std::string why_no_tree;  ///< empty where there is one
  std::optional<SumTree> tree;
  std::string order;  ///< "lanes:8"; empty for none that has a name
  std::optional<AccumulatorFacts> accumulator;
  bool gives_bits = false;
  /// Random sums that the tree and the accumulator's facts foretell to the bit, of those compared; none are
  /// compared where the box does not give its bits, or rounds in a way that is not known.
  std::int64_t foretold = 0, compared = 0;
};
ProbeReport probe(SumBox& box);

/// The sum of `terms` as the tree and the facts have it; nothing where the facts are not enough.
std::optional<float> foretold_sum(const SumTree& tree, const AccumulatorFacts& facts,
                                  std::span<const float> terms);

std::string probe_text(const ProbeReport& report);
Json probe_json(const ProbeReport& report);

}  // namespace plumbline

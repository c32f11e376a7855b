#include "oracle/run/judge_case.h"
#include "oracle/run/repeated_subject.h"
#include "oracle/run/row_batch.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/far_rows.h"
#include "oracle/selftest/faulty_selector.h"
#include "oracle/selftest/mutant.h"
#include "oracle/selftest/selector_cases.h"
#include "oracle/selftest/tolerance_comparator.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>

namespace plumbline::selftest {
namespace {

struct PlantedSelector {
  Mutant mutant;
  std::function<Blocks(const ScoreRow&, Workspace&)> select;
  RowAccess access = RowAccess::by_stride;
};

Blocks honest_row(const ScoreRow& row, Workspace&) { return honest(row); }

std::vector<PlantedSelector> planted_selectors() {
  std::vector<PlantedSelector> all;
  for (const auto& faults :
       {candidate_faults(), tie_faults(), special_value_faults(), length_faults(), state_faults()}) {
    for (const RowFault& fault : faults)
      all.push_back({{"selector." + fault.id, fault.hazard, fault.about, fault.check}, fault.select});
  }
  all.push_back({{"selector.rows_without_stride", "TOPK T16", "rows are taken to lie without gaps", "layout"},
                 honest_row,
                 RowAccess::contiguous});
  all.push_back(
      {{"selector.offset_of_32_bits", "TOPK T17, CASES D1", "row times stride wraps at 2^32", "offset"},
       honest_row,
       RowAccess::offset_of_32_bits});
  all.push_back({{"selector.sorted_in_place", "ROUTES §3", "the scores are sorted where they lie", "inputs"},
                 honest_row,
                 RowAccess::sorted_in_place});
  all.push_back(
      {{"selector.rows_exchanged", "CASES F2", "neighbouring rows get each other's blocks", "structure"},
       honest_row,
       RowAccess::rows_exchanged});
  return all;
}

/// Puts one selector under every check.
class SelectorTrial {
 public:
  explicit SelectorTrial(const PlantedSelector& planted) : planted_(planted) {}

  Trial run(const std::vector<SelectorCase>& cases) {
    trial_.passes_tolerance = true;
    for (const SelectorCase& one : cases) {
      contract(one);
      repeats(one);
      batch(one);
      behind(one);
      layout(one);
    }
    offset();
    return trial_;
  }

 private:
  std::shared_ptr<FaultySelector> fresh() const {
    return std::make_shared<FaultySelector>(planted_.select, planted_.access);
  }

  void contract(const SelectorCase& one) {
    const GeneratedSelect data = one.data;  // of its own: the selector may write to it
    const SelectOutputs outputs = fresh()->select(data.inputs());
    if (data.scores->bytes != one.data.scores->bytes)
      accuse(trial_, "inputs", one.name + ": the scores were written to");
    JudgeOptions options;
    options.contract = Contract::canonical;
    options.max_witnesses = 1;
    const JudgedSelection judged = judge_outputs(one.data.inputs(), outputs, options);
    trial_.cases += judged.rows;
    accuse_by_verdict(trial_, judged.selector, fmt::format("{}: {}", one.name, judged.reason));
    for (std::int64_t row = 0; row < data.rows; ++row) {
      const auto scores = one.data.scores->as<float>().subspan(static_cast<std::size_t>(row * data.blocks),
                                                               static_cast<std::size_t>(data.blocks));
      const std::int32_t k = data.geometry.block_topk;
      const auto claimed = outputs.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(row * k),
                                                                     static_cast<std::size_t>(k));
      if (!sorted_scores_close(scores, visible_count(one.data.inputs(), row), k, claimed))
        trial_.passes_tolerance = false;
    }
  }

  void repeats(const SelectorCase& one) {
    RepeatedSubject repeated(fresh(), 3);
    const GeneratedSelect data = one.data;
    repeated.select(data.inputs());
    if (repeated.differing() > 0)
      accuse(trial_, "repeats", one.name + ": another answer to the same question");
  }

  void batch(const SelectorCase& one) {
    const std::int64_t k = one.data.geometry.block_topk;
    const GeneratedSelect data = one.data;
    const SelectOutputs together = fresh()->select(one.data.inputs());
    const SelectInputs inputs = data.inputs();
    for (std::int64_t row = 0; row < data.rows; ++row) {
      const RowBatch alone(inputs, {row});
      const SelectOutputs single = fresh()->select(alone.inputs());
      if (!std::ranges::equal(single.blocks.as<std::int32_t>(),
                              together.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(row * k),
                                                                         static_cast<std::size_t>(k)))) {
        return accuse(trial_, "batch",
                      fmt::format("{}: row {} alone is another than among {}", one.name, row, data.rows));
      }
    }
  }

  void behind(const SelectorCase& one) {
    const GeneratedSelect low = filled_behind(one.data, -std::numeric_limits<float>::infinity());
    for (const float fill : {std::numeric_limits<float>::max(), std::numeric_limits<float>::quiet_NaN()}) {
      const GeneratedSelect high = filled_behind(one.data, fill);
      if (fresh()->select(low.inputs()).blocks.bytes != fresh()->select(high.inputs()).blocks.bytes)
        return accuse(trial_, "behind",
                      fmt::format("{}: {} behind the visible counts changes the answer", one.name, fill));
    }
  }

  void layout(const SelectorCase& one) {
    const GeneratedSelect packed = one.data, spread = spread_rows(one.data);
    if (fresh()->select(packed.inputs()).blocks.bytes != fresh()->select(spread.inputs()).blocks.bytes)
      accuse(trial_, "layout", one.name + ": five columns of padding between the rows change the answer");
  }

  void offset() {
    const FarRows far;
    if (!far.there()) return;
    const SelectOutputs outputs = fresh()->select(far.inputs());
    for (std::int32_t i = 0; i < 64; ++i) {
      // Row 0 ascends, row 1 descends.
      if (outputs.blocks.as<std::int32_t>()[static_cast<std::size_t>(64 + i)] != i)
        return accuse(trial_, "offset",
                      fmt::format("a row {} elements behind the first is another", FarRows::kStride));
    }
  }

  const PlantedSelector& planted_;
  Trial trial_;
};

}  // namespace

Suite selector_suite() {
  Suite suite;
  suite.name = "selector";
  suite.checks = {"structure", "value",  "ties",   "order",  "repeats",
                  "batch",     "behind", "inputs", "layout", "offset"};
  const auto all = std::make_shared<const std::vector<PlantedSelector>>(planted_selectors());
  for (const PlantedSelector& planted : *all) suite.mutants.push_back(planted.mutant);
  const auto cases = std::make_shared<std::map<std::uint64_t, std::vector<SelectorCase>>>();
  suite.run = [all, cases](std::string_view id, std::uint64_t seed_shift) {
    if (!cases->contains(seed_shift)) {
      cases->clear();
      (*cases)[seed_shift] = selector_cases(seed_shift);
    }
    const PlantedSelector none{{}, honest_row};
    const auto found =
        std::ranges::find_if(*all, [&](const PlantedSelector& planted) { return planted.mutant.id == id; });
    return SelectorTrial(found == all->end() ? none : *found).run(cases->at(seed_shift));
  };
  return suite;
}

}  // namespace plumbline::selftest

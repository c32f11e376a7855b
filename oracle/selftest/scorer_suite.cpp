#include "fixtures/cases/generate.h"
#include "oracle/judge/score_drift.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/row_batch.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/mutant.h"
#include "oracle/selftest/scorer_fault.h"
#include "oracle/selftest/tolerance_comparator.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>

namespace plumbline::selftest {
namespace {

struct ScorerCase {
  std::string name;
  GeneratedSelect data;  ///< with query and key, without scores
  SelectOutputs honest;
};

ScorerFault honest_scorer() { return {"", "", "", "", honest_score}; }

/// The families that have a query and a key, cut to 12 rows.
std::vector<ScorerCase> scorer_cases(std::uint64_t seed_shift) {
  std::vector<ScorerCase> cases;
  for (const DataFamily& family : data_families()) {
    CaseSpec spec = parse_case(family.default_case);
    if (spec.kind != CaseSpec::Kind::select || spec.blocks > 2000) continue;
    spec.rows = std::min<std::int64_t>(spec.rows, 12);
    spec.seed += seed_shift;
    GeneratedSelect data = generate_select(spec);
    if (!data.index_query || !data.index_key) continue;
    data.scores.reset();
    data.padded_scores.reset();
    SelectOutputs honest = FaultyScorer(honest_scorer()).select(data.inputs());
    cases.push_back({family.name, std::move(data), std::move(honest)});
  }
  return cases;
}

std::span<const float> row_of(const Tensor& scores, std::int64_t row, std::int64_t count) {
  return scores.as<float>().subspan(static_cast<std::size_t>(row * scores.extent(1)),
                                    static_cast<std::size_t>(count));
}

class ScorerTrial {
 public:
  explicit ScorerTrial(const ScorerFault& fault) : scorer_(fault) {}

  Trial run(const std::vector<ScorerCase>& cases) {
    trial_.passes_tolerance = true;
    for (const ScorerCase& one : cases) judge(one);
    return trial_;
  }

 private:
  void judge(const ScorerCase& one) {
    const SelectInputs inputs = one.data.inputs();
    const SelectOutputs outputs = scorer_.select(inputs);
    JudgeOptions options;  // within_error
    options.max_witnesses = 1;
    const JudgedSelection judged = judge_outputs(inputs, outputs, options);
    trial_.cases += judged.rows;
    const std::string what = fmt::format("{}: {}", one.name, judged.reason);
    if (judged.end_to_end) {
      if ((*judged.end_to_end)[Verdict::structural] > 0) accuse(trial_, "structure", what);
      if ((*judged.end_to_end)[Verdict::value_error] > 0)
        accuse(trial_, judged.rows_without_exact_score > 0 ? "special" : "end_to_end", what);
    }
    bound(one, inputs, outputs);
    batch(one, inputs, outputs);
  }

  void bound(const ScorerCase& one, const SelectInputs& inputs, const SelectOutputs& outputs) {
    const auto model = float32_any_order(inputs.geometry.index_heads, inputs.geometry.index_head_dim);
    for (std::int64_t row = 0; row < inputs.rows; ++row) {
      const std::int64_t visible = visible_count(inputs, row);
      const auto honest = row_of(*one.honest.scores, row, visible),
                 found = row_of(*outputs.scores, row, visible);
      if (!std::ranges::equal(honest, found, [](float a, float b) { return close(b, a); }))
        trial_.passes_tolerance = false;
      if (std::ranges::any_of(honest, [](float score) { return !std::isfinite(score); })) continue;
      const ScoreDrift drift = score_drift(inputs, row, honest, found, visible, *model);
      if (drift.beyond > 0)
        accuse(
            trial_, "bound",
            fmt::format("{}: {} scores of row {} are beyond two error bounds", one.name, drift.beyond, row));
    }
  }

  void batch(const ScorerCase& one, const SelectInputs& inputs, const SelectOutputs& together) {
    for (const std::int64_t row : {std::int64_t{0}, inputs.rows - 1}) {
      const RowBatch alone(inputs, {row});
      const SelectOutputs single = scorer_.select(alone.inputs());
      const std::int64_t visible = visible_count(inputs, row);
      const auto a = row_of(*together.scores, row, visible), b = row_of(*single.scores, 0, visible);
      if (!a.empty() && std::memcmp(a.data(), b.data(), a.size_bytes()) != 0)
        accuse(trial_, "batch", fmt::format("{}: row {} alone has scores of other bits", one.name, row));
    }
  }

  FaultyScorer scorer_;
  Trial trial_;
};

}  // namespace

Suite scorer_suite() {
  Suite suite;
  suite.name = "scorer";
  suite.checks = {"structure", "end_to_end", "special", "bound", "batch"};
  const auto faults = std::make_shared<const std::vector<ScorerFault>>(scorer_faults());
  for (const ScorerFault& fault : *faults)
    suite.mutants.push_back({"scorer." + fault.id, fault.hazard, fault.about, fault.check});
  const auto cases = std::make_shared<std::map<std::uint64_t, std::vector<ScorerCase>>>();
  suite.run = [faults, cases](std::string_view id, std::uint64_t seed_shift) {
    if (!cases->contains(seed_shift)) {
      cases->clear();
      (*cases)[seed_shift] = scorer_cases(seed_shift);
    }
    const auto found =
        std::ranges::find_if(*faults, [&](const ScorerFault& fault) { return "scorer." + fault.id == id; });
    return ScorerTrial(found == faults->end() ? honest_scorer() : *found).run(cases->at(seed_shift));
  };
  return suite;
}

}  // namespace plumbline::selftest

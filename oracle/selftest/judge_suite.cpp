#include "fixtures/small_float.h"
#include "oracle/judge/error_model.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/row_batch.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/faulty_selector.h"
#include "oracle/selftest/mutant.h"
#include "oracle/selftest/scorer_fault.h"
#include "oracle/selftest/selector_cases.h"
#include "oracle/selftest/tolerance_comparator.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

// Who checks the checker: judges with a fault, asked about answers whose verdict is known.
namespace plumbline::selftest {
namespace {

/// An answer and what a judge has to say of it.
struct Claim {
  std::string check;  ///< "accuses_value", "acquits_rounding"
  std::string what;
  GeneratedSelect data;
  SelectOutputs outputs;
  Contract contract = Contract::canonical;
  bool right = false;
};

using Judge = std::function<bool(const Claim&)>;  ///< whether it accepts the answer

bool accepts(const SelectInputs& inputs, const SelectOutputs& outputs, Contract contract,
             const ErrorModel* model = nullptr) {
  JudgeOptions options;
  options.contract = contract;
  options.error_model = model;
  options.max_witnesses = 0;
  return judge_outputs(inputs, outputs, options).status != Status::fail;
}

bool honest_judge(const Claim& claim) { return accepts(claim.data.inputs(), claim.outputs, claim.contract); }

GeneratedSelect scored(const char* text, std::uint64_t seed_shift) {
  CaseSpec spec = parse_case(text);
  spec.rows = 16;
  spec.seed += seed_shift;
  GeneratedSelect data = generate_select(spec);
  data.index_query.reset();
  data.index_key.reset();
  return data;
}

GeneratedSelect unscored(const char* text, std::uint64_t seed_shift) {
  CaseSpec spec = parse_case(text);
  spec.rows = 12;
  spec.seed += seed_shift;
  GeneratedSelect data = generate_select(spec);
  data.scores.reset();
  data.padded_scores.reset();
  return data;
}

const RowFault& fault_named(const std::vector<RowFault>& faults, const std::string& id) {
  return *std::ranges::find_if(faults, [&](const RowFault& fault) { return fault.id == id; });
}

Claim selected(std::string check, GeneratedSelect data, const std::vector<RowFault>& faults,
               const std::string& id) {
  SelectOutputs outputs =
      FaultySelector(fault_named(faults, id).select, RowAccess::by_stride).select(data.inputs());
  return {std::move(check), "selector." + id, std::move(data), std::move(outputs)};
}

Claim scored_with(std::string check, GeneratedSelect data, const std::string& id) {
  const std::vector<ScorerFault> faults = scorer_faults();
  const auto found = std::ranges::find_if(faults, [&](const ScorerFault& fault) { return fault.id == id; });
  const bool right = found == faults.end();
  SelectOutputs outputs =
      FaultyScorer(right ? ScorerFault{"", "", "", "", honest_score} : *found).select(data.inputs());
  return {std::move(check),   "scorer." + id,         std::move(data),
          std::move(outputs), Contract::within_error, right};
}

/// The canonical answer but for the last row, which has its best block exchanged for the best one left out.
Claim wrong_in_the_last_row(GeneratedSelect data) {
  SelectOutputs outputs =
      FaultySelector([](const ScoreRow& row, Workspace&) { return honest(row); }, RowAccess::by_stride)
          .select(data.inputs());
  const std::int64_t k = data.geometry.block_topk, last = data.rows - 1;
  const auto row = outputs.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(last * k));
  std::int32_t left_out = 0;
  while (std::ranges::find(row, left_out) != row.end()) ++left_out;
  row[0] = left_out;
  std::ranges::sort(row);
  return {"accuses_last_row", "one block of the last row", std::move(data), std::move(outputs)};
}

std::vector<Claim> claims(std::uint64_t seed_shift) {
  const char* plain = "select:heads=2,topk=64,blocks=900,data=index_base";
  std::vector<Claim> all;
  all.push_back(selected("accuses_value",
                         scored("select:heads=1,dim=48,blocks=4400,data=overflow", seed_shift),
                         candidate_faults(), "bounded_buffer"));
  all.push_back(
      scored_with("accuses_value", unscored("select:topk=64,blocks=900", seed_shift), "missing_head"));
  all.push_back(
      selected("accuses_structure", scored(plain, seed_shift), candidate_faults(), "doubled_at_the_merge"));
  all.push_back(selected("accuses_structure",
                         scored("select:heads=2,topk=64,blocks=900,data=ties", seed_shift), tie_faults(),
                         "pivot_ties_dropped"));
  all.push_back(selected("accuses_structure",
                         scored("select:topk=64,blocks=900,data=phantom_tail", seed_shift), length_faults(),
                         "phantom_lanes"));
  all.push_back(selected("accuses_ties", scored("select:heads=2,topk=64,blocks=900,data=ties", seed_shift),
                         tie_faults(), "higher_block_of_a_tie"));
  all.push_back(selected("accuses_order", scored(plain, seed_shift), tie_faults(), "best_first"));
  all.push_back(selected("accuses_special", scored("select:topk=64,blocks=900,data=nan", seed_shift),
                         special_value_faults(), "nan_lowest"));
  all.push_back(scored_with(
      "accuses_special", unscored("select:topk=64,blocks=900,data=nan_keys", seed_shift), "relu_drops_nan"));
  all.push_back(wrong_in_the_last_row(scored(plain, seed_shift)));
  for (const char* text :
       {"select:topk=64,blocks=900,data=near_tie", "select:dim=32,topk=64,blocks=900,data=head_order"})
    all.push_back(scored_with("acquits_rounding", unscored(text, seed_shift), "none"));
  return all;
}

/// The bounds of float32_any_order times a factor.
class ScaledModel final : public ErrorModel {
 public:
  ScaledModel(const SelectGeometry& geometry, double factor)
      : model_(float32_any_order(geometry.index_heads, geometry.index_head_dim)), factor_(factor) {}
  std::string name() const override { return "scaled"; }
  std::string derivation() const override { return "a mutant's"; }
  double bound(const TensorView& query, const TensorView& key, double magnitude) const override {
    return model_->bound(query, key, magnitude) * factor_;
  }

 private:
  std::unique_ptr<ErrorModel> model_;
  double factor_;
};

Judge with_bounds_times(double factor) {
  return [factor](const Claim& claim) {
    const ScaledModel model(claim.data.geometry, factor);
    return accepts(claim.data.inputs(), claim.outputs, claim.contract, &model);
  };
}

/// Judges the claim after `censor` has looked at each row's claimed blocks; `best` is the canonical row.
Judge censored(const std::function<void(std::span<std::int32_t> claimed, const Blocks& best,
                                        std::span<const float> scores)>& censor) {
  return [censor](const Claim& claim) {
    SelectOutputs outputs = claim.outputs;
    const Tensor& plane = claim.data.scores ? *claim.data.scores : *claim.outputs.scores;
    const SelectInputs inputs = claim.data.inputs();
    const auto k = static_cast<std::size_t>(claim.data.geometry.block_topk);
    const auto blocks = static_cast<std::size_t>(claim.data.blocks);
    for (std::int64_t row = 0; row < claim.data.rows; ++row) {
      const auto scores = plane.as<float>().subspan(static_cast<std::size_t>(row) * blocks, blocks);
      const Blocks best = honest({scores, visible_count(inputs, row), static_cast<std::int32_t>(k)});
      censor(outputs.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(row) * k, k), best, scores);
    }
    return accepts(inputs, outputs, claim.contract);
  };
}

void put(std::span<std::int32_t> claimed, const Blocks& blocks) {
  std::ranges::fill(claimed, -1);
  std::ranges::copy(blocks, claimed.begin());
}

bool rows_without_nan_alone(const Claim& claim) {
  std::vector<std::int64_t> rows;
  const Tensor& plane = claim.data.scores ? *claim.data.scores : *claim.outputs.scores;
  const auto width = static_cast<std::size_t>(claim.data.blocks);
  const SelectInputs inputs = claim.data.inputs();
  for (std::int64_t row = 0; row < claim.data.rows; ++row) {
    const auto scores = plane.as<float>().subspan(static_cast<std::size_t>(row) * width,
                                                  static_cast<std::size_t>(visible_count(inputs, row)));
    if (std::ranges::none_of(scores, [](float score) { return std::isnan(score); })) rows.push_back(row);
  }
  if (claim.contract == Contract::within_error && claim.check == "accuses_special") return true;
  const RowBatch batch(inputs, rows);
  SelectOutputs outputs{Tensor(DType::int32, {std::ssize(rows), claim.data.geometry.block_topk}),
                        std::nullopt};
  const auto k = static_cast<std::size_t>(claim.data.geometry.block_topk);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(
        claim.outputs.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(rows[i]) * k, k),
        outputs.blocks.as<std::int32_t>().begin() + static_cast<std::ptrdiff_t>(i * k));
  return accepts(batch.inputs(), outputs, claim.contract);
}

bool first_row_alone(const Claim& claim) {
  const SelectInputs inputs = claim.data.inputs();
  const RowBatch batch(inputs, {0});
  const std::int64_t k = claim.data.geometry.block_topk;
  SelectOutputs outputs{Tensor(DType::int32, {1, k}), std::nullopt};
  std::ranges::copy(claim.outputs.blocks.as<std::int32_t>().first(static_cast<std::size_t>(k)),
                    outputs.blocks.as<std::int32_t>().begin());
  return accepts(batch.inputs(), outputs, claim.contract);
}

/// On every row's scores as `rule` sees them.
bool every_row(const Claim& claim,
               const std::function<bool(std::span<const float> scores, std::int64_t visible,
                                        std::span<const std::int32_t> claimed)>& rule) {
  const Tensor& plane = claim.data.scores ? *claim.data.scores : *claim.outputs.scores;
  const SelectInputs inputs = claim.data.inputs();
  const auto k = static_cast<std::size_t>(claim.data.geometry.block_topk);
  const auto width = static_cast<std::size_t>(claim.data.blocks);
  for (std::int64_t row = 0; row < claim.data.rows; ++row) {
    if (!rule(plane.as<float>().subspan(static_cast<std::size_t>(row) * width, width),
              visible_count(inputs, row),
              claim.outputs.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(row) * k, k)))
      return false;
  }
  return true;
}

bool sorted_values_close(const Claim& claim) {
  return every_row(claim, [&](auto scores, std::int64_t visible, auto claimed) {
    return sorted_scores_close(scores, visible, claim.data.geometry.block_topk, claimed);
  });
}

bool overlap_of_95_percent(const Claim& claim) {
  return every_row(claim, [&](auto scores, std::int64_t visible, auto claimed) {
    const Blocks best = honest({scores, visible, claim.data.geometry.block_topk});
    const auto common = std::ranges::count_if(
        best, [&](std::int32_t block) { return std::ranges::find(claimed, block) != claimed.end(); });
    return static_cast<double>(common) >= 0.95 * static_cast<double>(best.size());
  });
}

bool own_scores_alone(const Claim& claim) {
  return accepts(claim.data.inputs(), claim.outputs,
                 claim.contract == Contract::within_error ? Contract::canonical : claim.contract);
}

bool length_unchecked(const Claim& claim) {
  GeneratedSelect longer = claim.data;
  const SelectInputs inputs = claim.data.inputs();
  for (std::int64_t row = 0; row < longer.rows; ++row) {
    const std::int64_t visible = visible_count(inputs, row);
    if (visible > longer.geometry.block_topk)
      longer.visible_blocks.as<std::int32_t>()[static_cast<std::size_t>(row)] =
          static_cast<std::int32_t>(std::min(longer.blocks, (visible + 3) / 4 * 4));
  }
  return accepts(longer.inputs(), claim.outputs, claim.contract);
}

struct PlantedJudge {
  Mutant mutant;
  Judge judge;
};

std::vector<PlantedJudge> planted_judges() {
  const auto fill_short_rows = [](std::span<std::int32_t> claimed, const Blocks& best,
                                  std::span<const float>) {
    if (std::ranges::find(claimed, -1) != claimed.end()) put(claimed, best);
  };
  const auto sort_first = [](std::span<std::int32_t> claimed, const Blocks&, std::span<const float>) {
    std::ranges::sort(claimed, [](std::int32_t a, std::int32_t b) {
      return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b);
    });
  };
  const auto members_alone = [](std::span<std::int32_t> claimed, const Blocks& best, std::span<const float>) {
    if (std::ranges::all_of(claimed, [&](std::int32_t block) {
          return block == -1 || std::ranges::find(best, block) != best.end();
        }))
      put(claimed, best);
  };
  const auto ties_as_equal = [](const Claim& claim) {
    return accepts(claim.data.inputs(), claim.outputs,
                   claim.contract == Contract::canonical ? Contract::set_exact : claim.contract);
  };
  return {
      {{"judge.always_canonical", "TOPK T23", "accepts everything", "accuses_value"},
       [](const Claim&) { return true; }},
      {{"judge.first_row_alone", "CASES C11", "looks at the first row", "accuses_last_row"}, first_row_alone},
      {{"judge.skips_nan", "TOPK T7", "leaves rows with a NaN out", "accuses_special"},
       rows_without_nan_alone},
      {{"judge.sorted_values_close", "TOPK T23", "compares sorted scores within 1e-4", "accuses_value"},
       sorted_values_close},
      {{"judge.overlap", "TOPK T23", "accepts 95 % of common blocks", "accuses_last_row"},
       overlap_of_95_percent},
      {{"judge.sorts_first", "TOPK T23", "sorts the blocks before it looks", "accuses_order"},
       censored(sort_first)},
      {{"judge.members_alone", "TOPK T23", "asks only whether each block belongs to the best",
        "accuses_structure"},
       censored(members_alone)},
      {{"judge.short_rows", "TOPK T5", "takes a short row for a whole one", "accuses_structure"},
       censored(fill_short_rows)},
      {{"judge.ties_as_equal", "TOPK T4", "takes any of the best sets for the canonical one", "accuses_ties"},
       ties_as_equal},
      {{"judge.length_unchecked", "TOPK T9", "lets a row see up to its last vector", "accuses_structure"},
       length_unchecked},
      {{"judge.own_scores_alone", "TOPK §4", "judges a scorer by its own scores", "accuses_value"},
       own_scores_alone},
      {{"judge.bounds_too_wide", "TOPK T23", "error bounds times 2^16", "accuses_value"},
       with_bounds_times(0x1p16)},
      {{"judge.bounds_too_small", "TOPK §6", "error bounds times 2^-16", "acquits_rounding"},
       with_bounds_times(0x1p-16)},
  };
}

Trial try_judge(const Judge& judge, std::uint64_t seed_shift) {
  Trial trial;
  for (const Claim& claim : claims(seed_shift)) {
    trial.cases += claim.data.rows;
    if (judge(claim) != claim.right)
      accuse(trial, claim.check, fmt::format("{} {}", claim.right ? "refuses" : "accepts", claim.what));
  }
  return trial;
}

}  // namespace

Suite judge_suite() {
  Suite suite;
  suite.name = "judge";
  suite.checks = {"accuses_value",   "accuses_structure", "accuses_ties",    "accuses_order",
                  "accuses_special", "accuses_last_row",  "acquits_rounding"};
  const auto all = std::make_shared<const std::vector<PlantedJudge>>(planted_judges());
  for (const PlantedJudge& planted : *all) suite.mutants.push_back(planted.mutant);
  suite.run = [all](std::string_view id, std::uint64_t seed_shift) {
    const auto found =
        std::ranges::find_if(*all, [&](const PlantedJudge& planted) { return planted.mutant.id == id; });
    return try_judge(found == all->end() ? honest_judge : found->judge, seed_shift);
  };
  return suite;
}

}  // namespace plumbline::selftest

#include "oracle/run/golden_checks.h"

#include "oracle/run/verify_run.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// Each capture is judged when a test first asks for it.
const CheckResult& check(const std::string& name) {
  static std::map<std::string, CheckResult> results;
  if (const auto known = results.find(name); known != results.end()) return known->second;
  const std::vector<PlannedCheck> checks = golden_checks(default_fixtures(), 0);
  return results[name] = run_check(*std::ranges::find(checks, "golden/" + name, &PlannedCheck::name));
}

const JudgedSelection& selection(const std::string& file, const std::string& tag) {
  return *std::ranges::find(check(file).selections, tag, &JudgedSelection::tag);
}

TEST(Goldens, AllPassButTheOneDeclaredTooShortToSelect) {
  const RunReport run = run_checks({golden_checks(default_fixtures(), 0), {}, {}});
  for (const CheckResult& result : run.checks) {
    const bool is_short = result.name == "golden/tiny_short";
    EXPECT_EQ(result.status, is_short ? Status::vacuous : Status::pass)
        << result.name << ": " << result.reason;
    EXPECT_EQ(result.expect_vacuous, is_short) << result.name;
  }
  EXPECT_EQ(run.counts().exit_code(), 0);
}

TEST(Goldens, RecordedCpuSelectionsDifferByTiesInAsManyRowsAsIsKnown) {
  const std::map<std::string, int> known = {{"select_near_budget_bf16", 11},
                                            {"select_quant_bf16", 36},
                                            {"select_repeat_fp16", 41},
                                            {"select_zero_plateau_fp16", 64},
                                            {"select_long_fp16", 0}};
  for (const auto& [file, rows] : known) {
    const VerdictCounts& counts = *selection(file, "cpu").end_to_end;
    EXPECT_EQ(counts[Verdict::tie_only], rows) << file;
    EXPECT_EQ(counts[Verdict::canonical] + counts[Verdict::order_only] + rows, counts.total()) << file;
  }
}

TEST(Goldens, RecordedGpuSelectionsAreNeverWorseThanOrderOnly) {
  for (const char* file : {"select_near_budget_bf16", "select_quant_bf16", "select_repeat_fp16",
                           "select_zero_plateau_fp16", "select_long_fp16"}) {
    const VerdictCounts& counts = *selection(file, "gpu").end_to_end;
    EXPECT_EQ(counts[Verdict::canonical] + counts[Verdict::order_only], counts.total()) << file;
  }
}

TEST(Goldens, RowsTiedAtTheCutoffAreAsManyAsIsKnown) {
  const std::map<std::string, int> known = {{"select_near_budget_bf16", 11},
                                            {"select_quant_bf16", 43},
                                            {"select_repeat_fp16", 45},
                                            {"select_zero_plateau_fp16", 64},
                                            {"select_long_fp16", 0}};
  for (const auto& [file, rows] : known)
    EXPECT_EQ(selection(file, "gpu").census.rows_tied_at_cutoff, rows) << file;
}

TEST(Goldens, NearTiesAreRoundingEndToEndAndNeverOnTheRecordedScores) {
  EXPECT_EQ((*selection("select_neartie_fp16", "gpu").end_to_end)[Verdict::rounding], 19);
  const VerdictCounts& cpu = *selection("select_neartie_fp16", "cpu").end_to_end;
  EXPECT_EQ(cpu[Verdict::rounding], 25);
  EXPECT_EQ(cpu[Verdict::tie_only], 4);
  EXPECT_EQ((*selection("select_neartie_fp16", "cpu").selector)[Verdict::rounding], 0);
}

TEST(Goldens, IndexersHaveNoRoundingAndNoValueError) {
  for (const char* file :
       {"tiny_fp32", "tiny_fp16", "tiny_bf16", "tiny_mrope", "tiny_padded", "tiny_wide_bf16"}) {
    ASSERT_TRUE(check(file).indexer) << file;
    const VerdictCounts& counts = check(file).indexer->end_to_end;
    EXPECT_GT(counts.total(), 0) << file;
    EXPECT_EQ(counts[Verdict::rounding] + counts[Verdict::value_error] + counts[Verdict::structural], 0)
        << file;
  }
}

}  // namespace
}  // namespace plumbline

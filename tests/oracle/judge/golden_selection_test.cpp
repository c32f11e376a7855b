#include "fixtures/capture/select_capture.h"
#include "oracle/judge/judge_selection.h"

#include <optional>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

VerdictCounts counts(std::int64_t canonical, std::int64_t order_only, std::int64_t tie_only,
                     std::int64_t rounding) {
  VerdictCounts verdicts;
  verdicts.rows = {canonical, order_only, tie_only, rounding, 0, 0};
  return verdicts;
}

SelectionReport judge(const SelectCapture& capture, const std::string& tag, int threads = 0) {
  const SelectCase& select = capture.cases.at(0);
  const SelectInputs inputs = select.inputs(capture.geometry);
  const auto stream = [](const std::vector<RowStream>& streams,
                         const std::string& wanted) -> const RowStream& {
    for (const RowStream& candidate : streams) {
      if (candidate.tag() == wanted) return candidate;
    }
    return streams.at(0);
  };
  const RowStream& blocks = stream(select.selections, tag);
  const RowStream& scores = stream(select.scores, tag);
  EXPECT_EQ(blocks.tag(), tag);
  SelectionClaim claim;
  claim.inputs = &inputs;
  claim.claimed = [&](std::int64_t first, std::int64_t count, std::span<std::int32_t> out) {
    blocks.read(first, count, std::as_writable_bytes(out));
  };
  claim.scores = [&](std::int64_t first, std::int64_t count, std::span<float> out) {
    scores.read(first, count, std::as_writable_bytes(out));
  };
  JudgeOptions options;
  options.threads = threads;
  options.max_witnesses = 100;
  return judge_selection(claim, options);
}

SelectCapture golden(const std::string& name) {
  return read_select_capture(PLUMBLINE_SOURCE_DIR "/fixtures/golden/select_" + name + ".h5");
}

std::int64_t tie_rows(const SelectionReport& report) { return (*report.selector)[Verdict::tie_only]; }

bool never_worse_than(const std::optional<VerdictCounts>& counts, Verdict limit) {
  for (int v = static_cast<int>(limit) + 1; v < kVerdicts; ++v) {
    if ((*counts)[static_cast<Verdict>(v)] != 0) return false;
  }
  return true;
}

struct Ties {
  const char* name;
  std::int64_t rows, cpu_tie_only, tied_at_cutoff;
};

class GoldenTies : public testing::TestWithParam<Ties> {};

TEST_P(GoldenTies, AreWhatTheCpuTookDifferentlyAndTheGpuDidNot) {
  const SelectCapture capture = golden(GetParam().name);
  const SelectionReport cpu = judge(capture, "cpu"), gpu = judge(capture, "gpu");
  for (const SelectionReport* report : {&cpu, &gpu}) {
    EXPECT_EQ(report->rows, GetParam().rows);
    ASSERT_TRUE(report->selector && report->end_to_end);
    EXPECT_EQ(report->selector->total(), GetParam().rows);
    EXPECT_EQ(report->end_to_end->total(), GetParam().rows);
    EXPECT_EQ(report->census.rows_tied_at_cutoff, GetParam().tied_at_cutoff);
    EXPECT_EQ(report->rows_without_exact_score, 0);
    EXPECT_EQ(report->status, Status::pass) << report->reason;
  }
  EXPECT_EQ(tie_rows(cpu), GetParam().cpu_tie_only);
  EXPECT_EQ((*cpu.end_to_end)[Verdict::tie_only], GetParam().cpu_tie_only);
  EXPECT_TRUE(never_worse_than(cpu.selector, Verdict::tie_only));
  EXPECT_TRUE(never_worse_than(cpu.end_to_end, Verdict::tie_only));
  EXPECT_TRUE(never_worse_than(gpu.selector, Verdict::order_only));
  EXPECT_TRUE(never_worse_than(gpu.end_to_end, Verdict::order_only));
  EXPECT_EQ(static_cast<std::int64_t>(cpu.witnesses.size()), GetParam().cpu_tie_only);
  for (const Witness& witness : cpu.witnesses) {
    EXPECT_EQ(witness.judgement, "end_to_end");
    EXPECT_EQ(witness.claimed_score, witness.missed_score);
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, GoldenTies,
                         testing::Values(Ties{"near_budget_bf16", 96, 11, 11}, Ties{"quant_bf16", 64, 36, 43},
                                         Ties{"repeat_fp16", 64, 41, 45},
                                         Ties{"zero_plateau_fp16", 64, 64, 64}),
                         [](const auto& capture) { return std::string(capture.param.name); });

TEST(GoldenSelection, ZeroPlateauIsInCanonicalOrderOnTheGpuButForTwoRows) {
  const SelectionReport report = judge(golden("zero_plateau_fp16"), "gpu");
  EXPECT_EQ(report.selector->rows, counts(62, 2, 0, 0).rows);
  EXPECT_EQ(report.end_to_end->rows, counts(62, 2, 0, 0).rows);
  EXPECT_EQ(report.census.rows_zero_plateau, 64);
}

TEST(GoldenSelection, LongHasNoTieAtTheCutoff) {
  const SelectionReport report = judge(golden("long_fp16"), "gpu");
  EXPECT_EQ(report.census.rows_tied_at_cutoff, 0);
  EXPECT_TRUE(never_worse_than(report.end_to_end, Verdict::rounding));
}

TEST(GoldenSelection, NeartieIsRoundingEndToEndAndATieOnItsOwnScores) {
  const SelectCapture capture = golden("neartie_fp16");
  const SelectionReport gpu = judge(capture, "gpu"), cpu = judge(capture, "cpu");
  EXPECT_EQ(gpu.end_to_end->rows, counts(0, 29, 0, 19).rows);
  EXPECT_EQ(cpu.end_to_end->rows, counts(0, 19, 4, 25).rows);
  EXPECT_EQ(gpu.selector->rows, counts(0, 48, 0, 0).rows);
  EXPECT_EQ(cpu.selector->rows, counts(0, 25, 23, 0).rows);
  EXPECT_EQ(gpu.census.rows_tied_at_cutoff, 10);
  EXPECT_EQ(gpu.status, Status::pass);
  for (const Witness& witness : gpu.witnesses) {
    EXPECT_EQ(witness.verdict, Verdict::rounding);
    EXPECT_GT(witness.gap_value, 0.0);
    EXPECT_LE(witness.gap_value, witness.allowed);
  }
}

TEST(GoldenSelection, FailsWhenASelectionIsJudgedAgainstAnotherCasesScores) {
  const SelectCapture quant = golden("quant_bf16"), repeat = golden("repeat_fp16");
  ASSERT_EQ(quant.cases[0].rows, repeat.cases[0].rows);
  SelectInputs inputs = quant.cases[0].inputs(quant.geometry);
  SelectionClaim claim;
  claim.inputs = &inputs;
  claim.claimed = [&](std::int64_t first, std::int64_t count, std::span<std::int32_t> out) {
    repeat.cases[0].selections[0].read(first, count, std::as_writable_bytes(out));
  };
  EXPECT_EQ(judge_selection(claim, {}).status, Status::fail);
}

}  // namespace
}  // namespace plumbline

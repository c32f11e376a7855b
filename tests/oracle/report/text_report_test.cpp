#include "oracle/report/text_report.h"

#include "tests/oracle/report/sample_report.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(TextReport, OfARunIsThisText) {
  EXPECT_EQ(text_report(verify_json(sample_run()), false),
            R"(check          what  rows  verdicts                      tied  status
golden/good    gpu     96  canonical 96                    11  PASS
               cpu     96  canonical 44, order_only 12,    11
                           tie_only 11, rounding 29
golden/bad     gpu     96  canonical 95, value_error 1     11  FAIL
golden/short                                                   VACUOUS (declared)
golden/broken                                                  ERROR
cuda                                                           NOT_EXECUTED

FAIL golden/bad: 1 of 96 rows breaks within_error
  row 17: end_to_end value_error: block 9 <outranks> block 3 & was left out; claimed 3 0x1p+0; missed 9 0x1.8p+0
  (2 more left out)
  repro: plumbline verify --filter '^golden/bad$'

ERROR golden/broken: SHA-256 differs from the manifest
  repro: plumbline verify --filter '^golden/broken$'

golden/short: no row has more blocks than it may select
not executed here: cuda: needs a CUDA device

Example CPU, 2 threads, avx2, g++ 12.2.0, build 0.1.0+abc
NOT VERIFIED: 1 PASS, 1 FAIL, 1 ERROR, 1 VACUOUS (declared), 1 NOT_EXECUTED
)");
}

TEST(TextReport, OfOneFileShowsBothJudgements) {
  const RunReport run = sample_run();
  EXPECT_EQ(text_report(select_json("good.h5", run.checks[0].selections, {"first", "second"}), false),
            R"(check        what            rows  verdicts                      tied  status
select/0000  gpu selector      96  canonical 96                    11  PASS
             gpu end_to_end    96  canonical 96                    11
select/0000  cpu selector      96  canonical 73, order_only 12,    11  PASS
                                   tie_only 11
             cpu end_to_end    96  canonical 44, order_only 12,    11
                                   tie_only 11, rounding 29
census select/0000/gpu: 90 of 96 rows select; 11 tied at the cutoff on exact scores (largest class 7, 2 on the zero plateau); rounding bounded by float32_any_order
census select/0000/cpu: 90 of 96 rows select; 11 tied at the cutoff on exact scores (largest class 7, 2 on the zero plateau); rounding bounded by float32_any_order
verified: 2 PASS
)");
}

TEST(TextReport, OfOneFileNamesTheBuffersItOverflows) {
  JudgedSelection selection = sample_run().checks[0].selections[0];
  selection.census.has_scores = true;
  selection.census.min_margin_ulp = 1;
  selection.census.median_margin_ulp = 40;
  selection.census.overflows = {{"kernel A", 4096, 0, 100}, {"kernel B", 2048, 3, 5000}};
  const std::string text = text_report(select_json("good.h5", {selection}, {"repro"}), false);
  EXPECT_NE(text.find("; margin 1 ULP, median 40; rounding bounded by float32_any_order\n  3 rows overflow "
                      "kernel B: 5000 candidates in one bin, "
                      "room for 2048\nverified"),
            std::string::npos)
      << text;
}

TEST(TextReport, NamesTheDeviceThatSubjectsRanOn) {
  RunReport run = sample_run();
  EXPECT_TRUE(verify_json(run)["machine"]["device"].is_null());
  run.machine.device = "Example GPU, CUDA 1";
  EXPECT_NE(text_report(verify_json(run), false).find("build 0.1.0+abc; Example GPU, CUDA 1\n"),
            std::string::npos);
}

TEST(TextReport, ColoursOnlyWhenAsked) {
  const Json report = verify_json(sample_run());
  EXPECT_EQ(text_report(report, false).find('\x1b'), std::string::npos);
  EXPECT_NE(text_report(report, true).find("\x1b[31mFAIL\x1b[0m"), std::string::npos);
}

TEST(TextReport, SaysSoWhenNothingWasSelected) {
  EXPECT_NE(text_report(verify_json({}), false).find("NOTHING EXECUTED: no check was selected\n"),
            std::string::npos);
}

TEST(TextReport, ANameFromACaptureCannotSteerTheTerminal) {
  RunReport run;
  run.checks.emplace_back().name =
      "a\x1b[31m\n\xc2\x9b"
      "31m\xe2\x80\xae";
  run.checks.back().status = Status::fail;
  run.checks.back().reason = "\x07";
  const std::string text = text_report(verify_json(run), false);
  EXPECT_NE(text.find("\nFAIL a?[31m??31m?: ?\n"), std::string::npos) << text;
}

TEST(VerdictLine, NamesTheOutcomeByTheExitCode) {
  StatusCounts counts;
  counts.add(Status::not_executed);
  EXPECT_EQ(verdict_line(counts), "NOTHING EXECUTED: 1 NOT_EXECUTED");
  counts.add(Status::pass);
  EXPECT_EQ(verdict_line(counts), "verified: 1 PASS, 1 NOT_EXECUTED");
  counts.add(Status::vacuous);
  EXPECT_EQ(verdict_line(counts), "NOT VERIFIED: 1 PASS, 1 VACUOUS, 1 NOT_EXECUTED");
}

}  // namespace
}  // namespace plumbline

#include "oracle/evidence/html_report.h"

#include "oracle/evidence/html_charts.h"
#include "oracle/evidence/html_page.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

bool holds(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

Json report_with(const std::string& checks) {
  return Json::parse(R"({"command":"verify","checks":)" + checks + "}");
}

TEST(HtmlReport, BeginsWithTheVerdictAndHoldsTheMatrix) {
  const std::string page = html_report({{{"cpu", cpu_evidence()}, {"h200", gpu_evidence()}}, {}, {}});
  EXPECT_TRUE(holds(page, "<p class=\"verdict pass\" role=\"status\">✓ verified: 5 PASS"));
  EXPECT_TRUE(holds(page, "<td class=\"measured\">● measured</td>"));
  EXPECT_TRUE(holds(page, "<td class=\"static\">○ static</td>"));
  EXPECT_TRUE(holds(page, "0.2000 ms (0.1900 to 0.2100)"));
}

TEST(HtmlReport, ShowsWhatFailedAndTheGatesWord) {
  Evidence evidence = cpu_evidence();
  evidence.checks[0].status = Status::fail;
  evidence.checks[0].reason = "row <3>";
  evidence.cells = cells_of(evidence);
  HtmlRequest request{
      {{"cpu", evidence}}, {}, HtmlRequest::Verdict{"gate: NOT PASSED", false, {"MISSING: x"}}};
  const std::string page = html_report(request);
  EXPECT_TRUE(holds(page, "<p class=\"verdict\" role=\"status\">✗ gate: NOT PASSED"));
  EXPECT_TRUE(holds(page, "MISSING: x"));
  EXPECT_TRUE(holds(page, "generated/ties: FAIL: row &lt;3&gt;"));
  EXPECT_TRUE(holds(page, "<td class=\"bad\">✗ "));
}

TEST(HtmlReport, LoadsNothingAndRunsNothing) {
  const std::string page = html_report({{{"cpu", cpu_evidence()}}, {}, {}});
  for (const char* word : {"<script", "http:", "https:", "src=", "url(", "@import"})
    EXPECT_FALSE(holds(page, word));
  EXPECT_TRUE(holds(page, "default-src 'none'"));
}

TEST(HtmlReport, DrawsALayerBeyondItsBoundInRedAndOpensIt) {
  const char* replay = R"([{"name":"replay/a","replay":{"profile":"hf_cuda","operations":[
    {"layer":"0","operation":"x","elements":4,"bit_equal":4,"max_partial_ulp":0,"beyond_bound":0,"ulp_histogram":[4]},
    {"layer":"1","operation":"x","elements":4,"bit_equal":2,"max_partial_ulp":7,"beyond_bound":BEYOND,
     "ulp_histogram":[2,0,1,1]}]}}])";
  std::string text = replay;
  text.replace(text.find("BEYOND"), 6, "0");
  const std::string well = html_report({{}, {report_with(text)}, {}});
  EXPECT_TRUE(holds(well, "replay/a: roundings of hf_cuda, every element within its bound"));
  EXPECT_TRUE(holds(well, "50.0 % equal"));
  EXPECT_TRUE(holds(well, "2–3"));
  EXPECT_FALSE(holds(well, "class=\"col bad\""));
  text = replay;
  text.replace(text.find("BEYOND"), 6, "1");
  const std::string ill = html_report({{}, {report_with(text)}, {}});
  EXPECT_TRUE(holds(ill, "class=\"col bad\""));
  EXPECT_TRUE(holds(ill, "BEYOND ITS BOUND"));
}

TEST(HtmlReport, TakesTheWorstOfACaseWhateverItsRoute) {
  const std::string page = html_report({{},
                                        {report_with(R"([
    {"name":"generated/ties","selections":[{"census":{"rows_selecting":8,"rows_tied_at_cutoff":2,
     "min_margin_ulp":5,"median_margin_ulp":9}}]},
    {"name":"cuda/select.fused/varied/generated/ties","selections":[{"census":{"rows_selecting":8,
     "rows_tied_at_cutoff":4,"min_margin_ulp":3,"median_margin_ulp":7}}]}])")},
                                        {}});
  EXPECT_TRUE(holds(page, "4 of 8 rows"));
  EXPECT_FALSE(holds(page, "2 of 8 rows"));
  EXPECT_TRUE(holds(page, "3 to 7 ULP"));
}

TEST(HtmlReport, KnowsSplitsRanksAttentionMutantsAndGoals) {
  const Json splits = Json::parse(R"({"command":"bench split","by_split_count":[
    {"reduction":"score","numbers":"wide","terms":128,"splits":1,"ulp_max":2,"ulp_p99":1,"bound_ulp":60},
    {"reduction":"score","numbers":"wide","terms":128,"splits":8,"ulp_max":4,"ulp_p99":2,"bound_ulp":61}]})");
  const Json mutants = Json::parse(R"({"command":"mutants","pass_tolerance_1e-4":1,"matrix":[
    {"id":"a","suite":"topk","about":"drops","killed":true},{"id":"b","suite":"topk","about":"swaps","killed":false}]})");
  const Json bench = Json::parse(R"({"command":"bench select","goals":[
    {"name":"fast","found":2,"wanted":1,"unit":"ms","at_most":true,"reached":false}]})");
  const Json verify = report_with(R"([
    {"name":"split/score","split":{"reduction":"score","numbers":[{"name":"wide","results":9,
     "largest_share_of_bound":0.5,"largest_share_of_likely":0.25,"beyond_bound":0}]}},
    {"name":"split/ranks/tiny","ranks":[{"order":"ring","partial":"f32","elements":12,
     "elements_that_differ_by_rank":3,"selections_differ":2,"selections_parted":1,"beyond_bound":0}]},
    {"name":"attention/random","attention":[{"output":{"share_of_bound":0.75,"beyond_bound":2},"lse":null}]}])");
  const std::string page = html_report({{}, {splits, mutants, bench, verify}, {}});
  for (const char* text : {"8 splits", "score, wide</th><td>9</td><td>50.0 %</td><td>25.0 %</td>",
                           "tiny, ring, f32 partial sums</th><td>12</td><td>3</td><td>2</td><td>1</td>",
                           "75.0 % of the bound, 2 beyond", "1 of 2 killed", "b survives: swaps", "MISSED"})
    EXPECT_TRUE(holds(page, text)) << text;
}

TEST(HtmlCharts, KeepWhatIsNotFiniteOrTooLargeInTheChart) {
  const std::string bars =
      html_bars({{"a", "1", std::numeric_limits<double>::quiet_NaN()}, {"b", "2", 7}, {"c", "3", -1}}, {0.5});
  EXPECT_EQ(bars.find("nan"), std::string::npos);
  EXPECT_NE(bars.find("width:100.00%"), std::string::npos);
  EXPECT_NE(bars.find("width:0.00%"), std::string::npos);
  EXPECT_NE(bars.find("left:50.00%"), std::string::npos);
}

TEST(HtmlPage, EscapesTextOfOthers) {
  EXPECT_EQ(escaped_html("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
  EXPECT_TRUE(holds(html_section("i", "<t>", "<a>", "b"), "&lt;t&gt;"));
  EXPECT_EQ(html_section("i", "t", "a", ""), "");
}

}  // namespace
}  // namespace plumbline

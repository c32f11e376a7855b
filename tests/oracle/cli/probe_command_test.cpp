#include "oracle/report/report_json.h"
#include "reference/summation/split_plan.h"
#include "tests/oracle/cli/run_program.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class ProbeCommand : public ProgramTest {
 protected:
  Json probes(std::vector<std::string> words) {
    words.insert(words.begin(), "probe");
    words.insert(words.end(), {"--json", "-"});
    const ProgramRun result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.empty() ? Json() : Json::parse(result.out)["probes"];
  }
  Json plugin(const char* how, std::vector<std::string> words) {
    ::setenv("PLUMBLINE_MISBEHAVE", how, 1);
    words.insert(words.begin(), {"--subject", std::string("plugin:") + PLUMBLINE_MISBEHAVING});
    Json found = probes(words);
    ::unsetenv("PLUMBLINE_MISBEHAVE");
    return found;
  }
  void expect_code(int code, const std::vector<std::string>& words) {
    const ProgramRun result = run(words);
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    expect_one_line(result.err);
  }
};

/// Eigen's sum begins at the first aligned address, which moves with rows of odd lengths; log-sum-exps weigh
/// splits of unequal lengths by factors that round.
bool may_have_no_order(const Json& probe) {
  const std::string name = probe["box"];
  return name == "eigen:sum" || name.find("log_sum_exp") != std::string::npos;
}

TEST_F(ProbeCommand, RevealsEveryCpuBoxAtAnyNumberOfTerms) {
  for (const char* terms : {"1", "2", "3", "127"}) {
    const Json found = probes({"--terms", terms});
    EXPECT_EQ(found.size(), 17u);
    for (const Json& one : found)
      EXPECT_TRUE(!one["tree"].is_null() || may_have_no_order(one)) << terms << " terms: " << one;
  }
}

TEST_F(ProbeCommand, FingerprintsAreThoseOfTheOrderAndStable) {
  const Json first = probes({"--subject", "eigen:dot", "--terms", "96"}),
             again = probes({"--subject", "eigen:dot", "--terms", "96"});
  EXPECT_EQ(first, again);
  const Json order = probes({"--subject", "cpu-split:splits=3,local=pairwise", "--terms", "97"});
  const SplitPlan plan = {contiguous_partition(97, 3), {SumOrder::Kind::pairwise}, tree_of({}, 3)};
  EXPECT_EQ(order[0]["fingerprint"], whole_tree(plan).fingerprint());
}

TEST_F(ProbeCommand, RevealsTheOrderOfAForeignScorer) {
  const Json lanes = plugin("adds_in_lanes", {"--type", "float32", "--terms", "100"});
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0]["order"], "strided:8");
  EXPECT_EQ(lanes[0]["fingerprint"], tree_of({SumOrder::Kind::strided, 8}, 100).fingerprint());
  EXPECT_EQ(lanes[0]["accumulator"]["result_bits"], 23);
  const Json wide = plugin("scores", {"--type", "float32", "--terms", "100"});
  EXPECT_EQ(wide[0]["order"], "sequential");
  EXPECT_EQ(wide[0]["accumulator"]["result_bits"], 52) << "a double accumulator";
}

TEST_F(ProbeCommand, SaysWhyAForeignKernelWasNotProbed) {
  ::setenv("PLUMBLINE_MISBEHAVE", "scores", 1);
  expect_code(3, {"probe", "--subject", std::string("plugin:") + PLUMBLINE_MISBEHAVING});  // float32 alone
  ::unsetenv("PLUMBLINE_MISBEHAVE");
  expect_code(3, {"probe", "--subject", std::string("plugin:") + PLUMBLINE_CPU_TOPK});  // offers no scorer
  expect_code(2, {"probe", "--subject", "plugin:" + path("nowhere.so")});
}

TEST_F(ProbeCommand, RefusesWhatItCannotProbe) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--terms", "0"},
                                             {"--terms", "5000"},
                                             {"--terms", "many"},
                                             {"--subject", "mine"},
                                             {"--subject", "tensor_core:6.0"},
                                             {"--subject", "cpu-split:splits=0"},
                                             {"--subject", "cpu-split:splits=2,colour=red"},
                                             {"--subject", "cpu-split:merge=lanes:3"},
                                             {"--type", "float64"},
                                             {"--route", "mma.sync"},
                                             {"--model", "5"},
                                             {"--json", path("nowhere/figures.json")}}) {
    std::vector<std::string> line = words;
    line.insert(line.begin(), "probe");
    expect_code(2, line);
  }
  expect_code(2, {"probe", "--subject", "cuda", "--type", "float32"});
}

}  // namespace
}  // namespace plumbline

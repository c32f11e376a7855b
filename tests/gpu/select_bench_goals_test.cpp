#include "gpu/subject/select_bench.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace plumbline::gpu {
namespace {

SelectBench measured(std::int64_t blocks) {
  SelectBench bench;
  bench.copy_gb_per_s = 4000;
  SelectBenchContext context;
  context.blocks = blocks;
  context.read_ms = 0.1;
  const auto stage = [&](const std::string& arm, const std::string& name, double ms, double bytes) {
    context.stages.push_back({arm, name, "", {ms, ms, ms}, bytes});
  };
  stage("cublas", "whole, in a graph", 0.75, 0);
  stage("cublas", "epilogue", 0.5, 1e9);
  stage("cublas, scores kept", "score", 0.8, 0);
  stage("cublas, scores kept", "top-k", 0.15, 0);
  stage("cublas, scores kept", "top-k, set alone", 0.31, 0);
  stage("exact70", "score", 1.2, 0);
  bench.contexts.push_back(context);
  return bench;
}

const BenchGoal& goal(const std::vector<BenchGoal>& goals, const std::string& start) {
  const auto found =
      std::ranges::find_if(goals, [&](const BenchGoal& one) { return one.name.starts_with(start); });
  EXPECT_NE(found, goals.end()) << start;
  return *found;
}

TEST(SelectBenchGoals, CompareWhatWasMeasuredWithTheIssuesNumbers) {
  const std::vector<BenchGoal> goals = select_bench_goals(measured(46000));
  EXPECT_EQ(goals.size(), 5u);
  EXPECT_TRUE(goal(goals, "cuBLAS scorer and exact top-k").reached());
  EXPECT_DOUBLE_EQ(goal(goals, "exact top-k").found, 1.5);
  EXPECT_TRUE(goal(goals, "exact top-k").reached());
  EXPECT_FALSE(goal(goals, "persistent top-k").reached());
  EXPECT_DOUBLE_EQ(goal(goals, "paged scorer").found, 1.5);
  EXPECT_DOUBLE_EQ(goal(goals, "epilogue").found, 50);
  EXPECT_FALSE(goal(goals, "epilogue").reached());
}

TEST(SelectBenchGoals, SayNothingOfWhatWasNotMeasured) {
  EXPECT_TRUE(select_bench_goals(measured(65536)).empty());
  const std::vector<BenchGoal> goals = select_bench_goals(measured(7250));
  ASSERT_EQ(goals.size(), 1u);
  EXPECT_FALSE(goals[0].reached());
  EXPECT_EQ(goals[0].wanted, 0.17);
}

TEST(SelectBenchGoals, CountTheBandwidthOfStagesBeyondTheL2) {
  SelectBench bench;
  bench.copy_gb_per_s = 4000;
  bench.wide = {{"", "expansion", "", {0.1, 0.1, 0.1}, 0.28e9}};
  const std::vector<BenchGoal> goals = select_bench_goals(bench);
  ASSERT_EQ(goals.size(), 1u);
  EXPECT_NEAR(goals[0].found, 70, 1e-9);
  EXPECT_TRUE(goals[0].reached());
}

}  // namespace
}  // namespace plumbline::gpu

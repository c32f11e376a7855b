#include "gpu/dispatch/reconcile.h"

#include <string>

#include <gtest/gtest.h>

// A call that runs as planned, and every way in which its witnesses can say otherwise.
namespace plumbline::dispatch {
namespace {

constexpr std::uint64_t kNonce = 0x1234;
constexpr Route kScore = Route::score_cublas_single, kTopk = Route::topk_lexicographic;

std::string ours(const std::string& function) {
  return "void plumbline::gpu::(anonymous namespace)::" + function;
}

class Reconcile : public ::testing::Test {
 protected:
  Reconcile() {
    planned_.nonce = kNonce;
    planned_.launches = {{kScore, Kernel::library_product, 1, PlannedLaunch::kAny},
                         {kScore, Kernel::score_epilogue, 1, PlannedLaunch::kAny},
                         {kTopk, Kernel::topk_lexicographic, 1, 1}};
    seen_.tags.emplace();
    seen_.records.emplace();
    tag(kScore, Kernel::score_epilogue);
    tag(kScore, Kernel::score_epilogue);
    tag(kTopk, Kernel::topk_lexicographic);
    record("nvjet_hsh_128x256", 3);
    record(ours("score_epilogue_kernel<false>"), 2);
    record(ours("score_epilogue_kernel<false>"), 5);
    record(ours("topk_lexicographic_kernel<3>"), 7);
  }

  void tag(Route route, Kernel kernel, std::uint64_t nonce = kNonce) {
    seen_.tags->push_back({nonce, route, kernel});
  }
  void record(const std::string& symbol, double microseconds, std::uint64_t nonce = kNonce) {
    seen_.records->push_back({nonce, symbol, {16, 2, 1}, 100, 100 + microseconds});
  }
  std::string misses() const {
    std::string out;
    for (const std::string& miss : reconcile(planned_, seen_).misses) out += miss + "\n";
    return out;
  }

  PlannedCall planned_;
  CallTrace seen_;
};

TEST_F(Reconcile, AgreesWithACallThatRanAsPlanned) {
  const Reconciliation result = reconcile(planned_, seen_);
  EXPECT_TRUE(result.misses.empty()) << misses();
  ASSERT_EQ(result.hits.size(), 2u);
  EXPECT_EQ(result.hits[0].route, kScore);
  EXPECT_EQ(result.hits[0].tags, 2);
  EXPECT_EQ(result.hits[0].records, 3);
  ASSERT_EQ(result.hits[0].symbols.size(), 2u);
  EXPECT_EQ(result.hits[0].symbols[0].symbol, "nvjet_hsh_128x256");
  EXPECT_EQ(result.hits[0].symbols[1].launches, 2);
  EXPECT_EQ(result.hits[0].symbols[1].microseconds, 7);
  EXPECT_EQ(result.hits[0].symbols[1].grid[0], 16);
  EXPECT_EQ(result.hits[1].tags, 1);
}

TEST_F(Reconcile, AVariantsTagCountsForItsOperation) {
  seen_.tags->back().route = Route::topk_lexicographic_generic;
  EXPECT_EQ(misses(), "");
}

TEST_F(Reconcile, OneWitnessIsEnough) {
  CallTrace tags_alone = seen_, records_alone = seen_;
  tags_alone.records.reset();
  records_alone.tags.reset();
  const Reconciliation by_tags = reconcile(planned_, tags_alone);
  EXPECT_TRUE(by_tags.misses.empty());
  EXPECT_EQ(by_tags.hits[0].records, 0);
  const Reconciliation by_records = reconcile(planned_, records_alone);
  EXPECT_TRUE(by_records.misses.empty());
  EXPECT_EQ(by_records.hits[0].tags, 0);
}

TEST_F(Reconcile, NoWitnessIsAMiss) {
  seen_.tags.reset();
  seen_.records.reset();
  EXPECT_EQ(misses(), "no witness: device tags are compiled out and no profiler watches\n");
}

TEST_F(Reconcile, MissesAPlannedLaunchWithoutATag) {
  seen_.records.reset();
  seen_.tags->pop_back();
  EXPECT_EQ(
      misses(),
      "planned launch without a hit: topk_lexicographic of topk.lexicographic: 0 device tags, planned 1\n");
}

TEST_F(Reconcile, MissesAPlannedLaunchWithoutARecord) {
  seen_.tags.reset();
  seen_.records->erase(seen_.records->begin());
  EXPECT_EQ(
      misses(),
      "planned launch without a hit: library_product of score.cublas_single: 0 kernel records, planned at "
      "least 1\n");
}

TEST_F(Reconcile, MissesALaunchThatIsRepeated) {
  tag(kTopk, Kernel::topk_lexicographic);
  record(ours("topk_lexicographic_kernel<3>"), 7);
  EXPECT_EQ(
      misses(),
      "launches not as planned: topk_lexicographic of topk.lexicographic: 2 device tags, planned 1\n"
      "launches not as planned: topk_lexicographic of topk.lexicographic: 2 kernel records, planned 1\n");
}

TEST_F(Reconcile, MissesAHitWithoutAPlan) {
  seen_.records.reset();
  tag(Route::topk_persistent, Kernel::topk_persistent);
  EXPECT_EQ(misses(), "hit without a plan: topk_persistent of topk.persistent tagged itself\n");
}

TEST_F(Reconcile, MissesAPlannedKernelThatRanForAnotherRoute) {
  seen_.records.reset();
  seen_.tags->back().route = Route::select_two_kernel;
  EXPECT_EQ(
      misses(),
      "hit without a plan: topk_lexicographic of select.two_kernel tagged itself\n"
      "planned launch without a hit: topk_lexicographic of topk.lexicographic: 0 device tags, planned 1\n");
}

TEST_F(Reconcile, MissesALaunchWithoutAPlan) {
  seen_.tags.reset();
  record(ours("score_paged_kernel<3>"), 1);
  EXPECT_EQ(misses(),
            "launch without a plan: " + ours("score_paged_kernel<3>") + " (score_paged) was launched\n");
}

TEST_F(Reconcile, MissesASymbolOfAnotherFamily) {
  record("void at::native::sort_kernel<4>", 1);
  EXPECT_EQ(misses(), "symbol of another family: void at::native::sort_kernel<4> was launched\n");
}

TEST_F(Reconcile, MissesATagWithAnotherPlansNonce) {
  seen_.records.reset();
  seen_.tags->back().nonce = 0xBEEF;
  EXPECT_EQ(
      misses(),
      "wrong nonce: topk_lexicographic of topk.lexicographic ran for plan 000000000000beef, not for "
      "0000000000001234\n"
      "planned launch without a hit: topk_lexicographic of topk.lexicographic: 0 device tags, planned 1\n");
}

TEST_F(Reconcile, MissesARecordOfAnotherPlansCall) {
  seen_.tags.reset();
  record("nvjet_hsh_128x256", 1, 0xBEEF);
  EXPECT_EQ(misses(),
            "wrong nonce: nvjet_hsh_128x256 was launched in a call of plan 000000000000beef, not of "
            "0000000000001234\n");
}

TEST_F(Reconcile, MissesWitnessesThatDisagree) {
  seen_.tags->erase(seen_.tags->begin());
  EXPECT_EQ(misses(), "witnesses disagree on score_epilogue: 1 device tag, 2 kernel records\n");
}

TEST_F(Reconcile, MissesWhatWasLost) {
  seen_.records_lost = 1;
  EXPECT_EQ(misses(), "1 kernel record lost\n");
}

}  // namespace
}  // namespace plumbline::dispatch

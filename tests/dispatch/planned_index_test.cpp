#include "gpu/dispatch/planned_index.h"

#include "gpu/dispatch/reconcile.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

const IndexShape kReal = {"bf16", 4, 128, 64, 4};

/// Witnesses of exactly the planned launches, each once.
CallTrace as_planned(const PlannedCall& planned) {
  CallTrace seen;
  seen.tags.emplace();
  for (const PlannedLaunch& launch : planned.launches)
    seen.tags->push_back({planned.nonce, launch.route, launch.kernel});
  return seen;
}

TEST(PlannedIndex, AStepMakesQueriesThenKeysThenKeepsTheRing) {
  const PlannedCall planned = planned_index_step(kReal, 7);
  std::vector<Kernel> kernels;
  for (const PlannedLaunch& launch : planned.launches) kernels.push_back(launch.kernel);
  EXPECT_EQ(kernels,
            (std::vector{Kernel::index_queries, Kernel::compress_index_keys, Kernel::keep_raw_keys}));
  EXPECT_TRUE(reconcile(planned, as_planned(planned)).misses.empty());
}

TEST(PlannedIndex, AKernelThatDidNotRunIsMissed) {
  const PlannedCall planned = planned_index_step(kReal, 7);
  for (std::size_t left_out = 0; left_out < planned.launches.size(); ++left_out) {
    CallTrace seen = as_planned(planned);
    seen.tags->erase(seen.tags->begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(reconcile(planned, seen).misses.size(), 1u) << left_out;
  }
}

TEST(PlannedIndex, ASecondLaunchIsMissed) {
  const PlannedCall planned = planned_rotation(kReal, 100);
  CallTrace seen = as_planned(planned);
  seen.tags->push_back(seen.tags->front());
  EXPECT_EQ(reconcile(planned, seen).misses.size(), 1u);
}

TEST(PlannedIndex, AProjectionIsALibrarysProduct) {
  const PlannedCall planned = planned_projection("f16", 3, 64, 640);
  CallTrace seen;
  seen.records = {{planned.nonce, "nvjet_hsh_64x8_64x16_1x1_v_bz_TNN", {1, 1, 1}, 0, 1}};
  EXPECT_TRUE(reconcile(planned, seen).misses.empty());
  seen.records->clear();
  EXPECT_FALSE(reconcile(planned, seen).misses.empty());
}

TEST(PlannedIndex, NothingToDoLaunchesNothing) {
  EXPECT_TRUE(planned_index_step(kReal, 0).launches.empty());
  EXPECT_TRUE(planned_projection("f16", 0, 64, 640).launches.empty());
  EXPECT_TRUE(planned_rotation({"f16", 4, 128, 0, 4}, 10).launches.empty());
}

TEST(PlannedIndex, EveryShapeHasANonceOfItsOwn) {
  std::set<std::uint64_t> nonces = {planned_index_step(kReal, 7).nonce, planned_index_step(kReal, 8).nonce,
                                    planned_rotation(kReal, 7).nonce,
                                    planned_projection("bf16", 7, 8, 9).nonce,
                                    planned_projection("f16", 7, 8, 9).nonce};
  for (const IndexShape& other :
       {IndexShape{"f16", 4, 128, 64, 4}, IndexShape{"bf16", 3, 128, 64, 4}, IndexShape{"bf16", 4, 64, 64, 4},
        IndexShape{"bf16", 4, 128, 32, 4}, IndexShape{"bf16", 4, 128, 64, 2}})
    nonces.insert(planned_index_step(other, 7).nonce);
  EXPECT_EQ(nonces.size(), 10u);
}

}  // namespace
}  // namespace plumbline::dispatch

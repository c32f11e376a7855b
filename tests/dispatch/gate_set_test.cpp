#include "gpu/dispatch/gate_set.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

constexpr Route kDisputed[] = {Route::score_cublas_single, Route::score_cublas_split,
                               Route::topk_lexicographic};

TEST(GateSet, Exact70AdmitsSevenZeroAlone) {
  for (const Route route : kDisputed) {
    EXPECT_TRUE(gate_set("exact70").admits(route, {7, 0}));
    for (const Capability other : {Capability{6, 1}, Capability{7, 2}, Capability{7, 5}, Capability{8, 0}}) {
      EXPECT_FALSE(gate_set("exact70").admits(route, other));
    }
  }
}

TEST(GateSet, Family7xAdmitsEverySevenAndNothingElse) {
  for (const Route route : kDisputed) {
    for (const Capability seven : {Capability{7, 0}, Capability{7, 2}, Capability{7, 5}}) {
      EXPECT_TRUE(gate_set("family7x").admits(route, seven));
    }
    EXPECT_FALSE(gate_set("family7x").admits(route, {6, 1}));
    EXPECT_FALSE(gate_set("family7x").admits(route, {8, 0}));
  }
}

TEST(GateSet, ProvenAdmitsAListedRouteOnItsListedCapabilityOnly) {
  GateSet set{"proven", GateSet::Rule::proven, 0, {{Route::score_cublas_single, {9, 0}, "evidence/a.json"}}};
  EXPECT_TRUE(set.admits(Route::score_cublas_single, {9, 0}));
  EXPECT_FALSE(set.admits(Route::score_cublas_single, {8, 0}));
  EXPECT_FALSE(set.admits(Route::topk_lexicographic, {9, 0}));
  EXPECT_EQ(set.requirement(Route::score_cublas_single), "a proven capability (9.0)");
  EXPECT_EQ(set.requirement(Route::topk_lexicographic), "a proven capability (none yet)");
}

TEST(GateSet, RequirementsReadAsWords) {
  EXPECT_EQ(gate_set("exact70").requirement(Route::score_cublas_single), "exactly 7.0");
  EXPECT_EQ(gate_set("family7x").requirement(Route::score_cublas_single), "family 7.x");
}

TEST(GateSet, AnUnknownNameIsRefused) { EXPECT_THROW(gate_set("family8x"), std::invalid_argument); }

}  // namespace
}  // namespace plumbline::dispatch

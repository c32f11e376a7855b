#include "oracle/run/forced_routes.h"

#include "fixtures/error.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(ForcedRoutes, AreOnePerStage) {
  const dispatch::ForcedRoutes forced = forced_routes(route_names("score.paged+topk.lexicographic"));
  EXPECT_EQ(forced.score, dispatch::Route::score_paged);
  EXPECT_EQ(forced.topk, dispatch::Route::topk_lexicographic);
  EXPECT_FALSE(forced.select);
  EXPECT_EQ(forced_routes(route_names("select.fused")).select, dispatch::Route::select_fused);
  EXPECT_THROW(forced_routes({"score.paged", "score.hopper"}), InputError);
  EXPECT_THROW(forced_routes({"score.nonsense"}), std::invalid_argument);
}

TEST(RouteNames, AreJoinedByPlus) {
  EXPECT_EQ(route_names("a+b+c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(route_names("a"), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace plumbline

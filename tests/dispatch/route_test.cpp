#include "gpu/dispatch/route.h"

#include <set>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

TEST(Route, NamesRoundTripAndAreUnique) {
  std::set<std::string_view> names;
  for (const Route route : all_routes()) {
    EXPECT_EQ(parse_route(name_of(route)), route);
    EXPECT_TRUE(names.insert(name_of(route)).second) << name_of(route);
  }
}

TEST(Route, ANameBeginsWithItsStage) {
  for (const Route route : all_routes()) {
    const std::string prefix = std::string(name_of(stage_of(route))) + ".";
    EXPECT_EQ(name_of(route).substr(0, prefix.size()), prefix);
  }
}

TEST(Route, AVariantIsNamedAfterItsOperation) {
  for (const Route route : all_routes()) {
    const std::string_view operation = name_of(operation_of(route));
    EXPECT_EQ(name_of(route).substr(0, operation.size()), operation);
  }
  EXPECT_EQ(operation_of(Route::topk_lexicographic_compact), Route::topk_lexicographic);
  EXPECT_EQ(operation_of(Route::topk_persistent), Route::topk_persistent);
}

TEST(Route, ListsTheRoutesWithoutAKernel) {
  std::set<std::string> missing;
  for (const Route route : all_routes()) {
    if (!has_kernel(route)) missing.insert(std::string(name_of(route)));
  }
  EXPECT_EQ(missing, (std::set<std::string>{"score.shared_key", "topk.cooperative", "topk.lexicographic.mtp",
                                            "attention.page4", "attention.resolved"}));
}

TEST(Route, AnUnknownNameIsRefusedWithTheListOfNames) {
  try {
    parse_route("score.cublas");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("score.cublas_single"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline::dispatch

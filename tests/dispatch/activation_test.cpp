#include "gpu/dispatch/activation.h"

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

using Reasons = std::vector<std::string>;

TEST(Activation, EverySevenIsAlreadyAdmittedWithHalfPrecisionQueries) {
  for (const Capability seven : {Capability{7, 0}, Capability{7, 2}, Capability{7, 5}}) {
    EXPECT_EQ(inactive_reasons({true, seven, ElementType::float16}), Reasons{});
  }
}

TEST(Activation, NamesTheMissingMetadata) {
  EXPECT_EQ(inactive_reasons({false, Capability{7, 5}, ElementType::float16}),
            Reasons{"no_indexed_sparse_metadata"});
}

TEST(Activation, RefusesOtherCapabilitiesAndMachinesWithoutCuda) {
  EXPECT_EQ(inactive_reasons({true, Capability{8, 0}, ElementType::float16}), Reasons{"capability"});
  EXPECT_EQ(inactive_reasons({true, Capability{6, 1}, ElementType::float16}), Reasons{"capability"});
  EXPECT_EQ(inactive_reasons({true, std::nullopt, ElementType::float16}), Reasons{"capability"});
}

TEST(Activation, RefusesOtherQueryTypes) {
  EXPECT_EQ(inactive_reasons({true, Capability{7, 0}, ElementType::bfloat16}), Reasons{"query_dtype"});
}

TEST(Activation, ListsAllReasonsInCheckOrder) {
  EXPECT_EQ(inactive_reasons({false, Capability{9, 0}, ElementType::bfloat16}),
            (Reasons{"no_indexed_sparse_metadata", "capability", "query_dtype"}));
}

}  // namespace
}  // namespace plumbline::dispatch

#include "gpu/dispatch/policy.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

constexpr const char* kMinRowsAlias = "VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS";
constexpr PolicyField kMinRows = PolicyField::qsa_cublas_min_rows;

TEST(Policy, DefaultsAreTheTunedValues) {
  const Policy policy;
  EXPECT_TRUE(policy.enabled(PolicyField::qsa_indexer_cublas));
  EXPECT_EQ(policy.value(PolicyField::qsa_score_tile_mb), 64);
  EXPECT_EQ(policy.value(kMinRows), 512);
  EXPECT_EQ(policy.value(PolicyField::qsa_cublas_min_score_elements), 1048576);
  EXPECT_EQ(policy.value(PolicyField::qsa_xqa_page4_min_rows), 64);
  EXPECT_FALSE(policy.enabled(PolicyField::qsa_segmented_page4));
  EXPECT_EQ(policy.source(kMinRows), "default");
}

TEST(Policy, FieldsAreListedInTheOrderOfTheirEnumerators) {
  std::size_t index = 0;
  for (const PolicyFieldInfo& info : policy_fields()) {
    EXPECT_EQ(static_cast<std::size_t>(info.field), index++) << info.name;
  }
}

TEST(Policy, AnAliasOverridesTheDefaultAndIsNamedAsTheSource) {
  const Policy policy({}, {{kMinRowsAlias, "64"}}, true);
  EXPECT_EQ(policy.value(kMinRows), 64);
  EXPECT_EQ(policy.source(kMinRows), kMinRowsAlias);
}

TEST(Policy, ATypedValueWinsOverTheAlias) {
  const Policy policy({{kMinRows, 128}}, {{kMinRowsAlias, "64"}}, true);
  EXPECT_EQ(policy.value(kMinRows), 128);
  EXPECT_EQ(policy.source(kMinRows), "typed");
}

TEST(Policy, ATypedValueHidesAMalformedAlias) {
  const Policy policy({{kMinRows, 128}}, {{kMinRowsAlias, "many"}}, true);
  EXPECT_EQ(policy.value(kMinRows), 128);
}

TEST(Policy, AMalformedAliasIsRaisedWhenItsFieldIsRead) {
  const Policy policy({}, {{kMinRowsAlias, "many"}}, true);
  EXPECT_EQ(policy.value(PolicyField::qsa_score_tile_mb), 64);
  try {
    policy.value(kMinRows);
    FAIL() << "read";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "policy qsa_cublas_min_rows: VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS='many' is no integer");
  }
}

TEST(Policy, AnInactiveFamilyNeverRaisesAndHasItsDefaults) {
  const Policy policy({{PolicyField::qsa_score_tile_mb, 8}}, {{kMinRowsAlias, "many"}}, false);
  EXPECT_EQ(policy.value(kMinRows), 512);
  EXPECT_EQ(policy.value(PolicyField::qsa_score_tile_mb), 64);
  EXPECT_EQ(policy.source(PolicyField::qsa_score_tile_mb), "default");
}

TEST(Policy, ATypedBooleanMustBeOne) {
  EXPECT_THROW(Policy({{PolicyField::qsa_mtp_topk, 2}}, {}, true), std::invalid_argument);
  EXPECT_NO_THROW(Policy({{PolicyField::qsa_score_tile_mb, 2}}, {}, true));
}

TEST(Policy, LaterChangesOfTheProcessEnvironmentChangeNothing) {
  const Policy policy;
  ASSERT_EQ(setenv(kMinRowsAlias, "7", 1), 0);
  EXPECT_EQ(policy.value(kMinRows), 512);
  EXPECT_EQ(Policy().value(kMinRows), 512);
  unsetenv(kMinRowsAlias);
}

TEST(PolicyHash, DependsOnEveryFieldsValue) {
  for (const PolicyFieldInfo& info : policy_fields()) {
    const std::int64_t other = is_boolean(info.dialect) ? 1 - info.default_value : info.default_value + 1;
    EXPECT_NE(Policy({{info.field, other}}, {}, true).hash(), Policy().hash()) << info.name;
  }
}

TEST(PolicyHash, IgnoresWhereAValueCameFrom) {
  EXPECT_EQ(Policy({{kMinRows, 64}}, {}, true).hash(), Policy({}, {{kMinRowsAlias, "64"}}, true).hash());
}

TEST(PolicyHash, IgnoresVariablesOutsideTheFamily) {
  const Environment environment = {{"VLLM_SM70_QSA_TOPK_LIBRARY", "/lib/other.so"}, {"VLLM_USE_V1", "0"}};
  EXPECT_EQ(Policy({}, environment, true).hash(), Policy().hash());
}

TEST(PolicyHash, OfAnInactiveFamilyIsThatOfTheEmptySet) {
  EXPECT_EQ(Policy({{kMinRows, 64}}, {}, false).hash(), Policy({}, {}, false).hash());
  EXPECT_NE(Policy({}, {}, false).hash(), Policy().hash());
}

TEST(PolicyHash, IsTheSameInEveryBuild) { EXPECT_EQ(Policy().hash(), 0x308fd4271271e980u); }

}  // namespace
}  // namespace plumbline::dispatch

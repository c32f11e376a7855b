#include "gpu/dispatch/policy_dialect.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline::dispatch {
namespace {

TEST(PolicyDialect, ExactOneTakesOnlyTheTextOne) {
  EXPECT_EQ(parse_dialect(Dialect::exact_one, "1"), 1);
  for (const char* text : {"0", "", "true", "2", " 1", "01", "yes"}) {
    EXPECT_EQ(parse_dialect(Dialect::exact_one, text), 0) << text;
  }
}

TEST(PolicyDialect, TheSegmentedSwitchIsOnForItsWordAlone) {
  EXPECT_EQ(parse_dialect(Dialect::word_split, "split"), 1);
  EXPECT_EQ(parse_dialect(Dialect::word_split, "1"), 0);
  EXPECT_EQ(parse_dialect(Dialect::word_split, "Split"), 0);
}

TEST(PolicyDialect, IntegerFollowsPython) {
  EXPECT_EQ(parse_dialect(Dialect::integer, "64"), 64);
  EXPECT_EQ(parse_dialect(Dialect::integer, " \t+007\n"), 7);
  EXPECT_EQ(parse_dialect(Dialect::integer, "-1"), -1);
  EXPECT_EQ(parse_dialect(Dialect::integer, "1_048_576"), 1048576);
}

TEST(PolicyDialect, IntegerRefusesWhatPythonRefuses) {
  for (const char* text :
       {"", " ", "+", "--1", "1.0", "0x10", "1__0", "_1", "1_", "1 2", "- 1", "-_1", "on"}) {
    EXPECT_EQ(parse_dialect(Dialect::integer, text), std::nullopt) << text;
  }
}

TEST(PolicyDialect, IntegerReachesBothEndsOf64Bits) {
  EXPECT_EQ(parse_dialect(Dialect::integer, "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_dialect(Dialect::integer, "-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_dialect(Dialect::integer, "9223372036854775808"), std::nullopt);
}

TEST(PolicyDialect, BoolOfIntegerIsTrueForAnyNonZero) {
  EXPECT_EQ(parse_dialect(Dialect::bool_of_integer, "2"), 1);
  EXPECT_EQ(parse_dialect(Dialect::bool_of_integer, "-1"), 1);
  EXPECT_EQ(parse_dialect(Dialect::bool_of_integer, "00"), 0);
  EXPECT_EQ(parse_dialect(Dialect::bool_of_integer, "true"), std::nullopt);
}

RC_GTEST_PROP(PolicyDialect, PrintedIntegersParseBack, (std::int64_t value)) {
  RC_ASSERT(parse_dialect(Dialect::integer, std::to_string(value)) == value);
}

}  // namespace
}  // namespace plumbline::dispatch

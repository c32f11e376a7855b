#include "oracle/run/repro.h"

#include "oracle/run/name_filter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

TEST(ShellQuoted, LeavesPlainWordsAloneAndQuotesTheRest) {
  EXPECT_EQ(shell_quoted("fixtures/a-b_c.h5"), "fixtures/a-b_c.h5");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $HOME"), R"('it'\''s $HOME')");
}

RC_GTEST_PROP(ExactFilter, MatchesItsNameAndNothingLonger, ()) {
  const auto name = *rc::gen::container<std::string>(rc::gen::inRange<char>(0x21, 0x7f));
  const NameFilter filter(exact_filter(name));
  RC_ASSERT(filter.matches(name));
  RC_ASSERT(!filter.matches(name + "x"));
}

}  // namespace
}  // namespace plumbline

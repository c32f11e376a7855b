#include "oracle/selftest/kill_matrix.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace plumbline::selftest {
namespace {

std::vector<Suite> all_suites() { return suites(PLUMBLINE_SOURCE_DIR "/fixtures/golden"); }

Suite suite_of(const std::string& name) {
  for (Suite& suite : all_suites())
    if (suite.name == name) return suite;
  throw std::runtime_error("no suite " + name);
}

// How many a comparator of tolerance 1e-4 lets pass.
const std::map<std::string, std::int64_t> kPassTolerance = {
    {"selector", 17}, {"scorer", 3}, {"attention", 1}};

class Mutants : public testing::TestWithParam<const char*> {};

TEST_P(Mutants, DieByTheCheckNamedForThem) {
  const KillMatrix matrix = try_mutants({suite_of(GetParam())}, {});
  ASSERT_FALSE(matrix.mutants.empty());
  for (const TriedMutant& tried : matrix.mutants) EXPECT_TRUE(tried.killed()) << tried.mutant.id;
  const auto passing = kPassTolerance.find(GetParam());
  EXPECT_EQ(matrix.pass_tolerance(), passing == kPassTolerance.end() ? 0 : passing->second);
  ASSERT_EQ(matrix.honest.size(), 1u);
  for (const Accusation& accusation : matrix.honest[0].accusations)
    ADD_FAILURE() << "without a fault: " << accusation.check << ": " << accusation.what;
}

INSTANTIATE_TEST_SUITE_P(Suites, Mutants,
                         testing::Values("selector", "scorer", "paged", "judge", "dispatch", "attention",
                                         "model", "cache"),
                         [](const auto& test) { return std::string(test.param); });

TEST(MutantList, HasSixtyOfThemAtLeastUnderNamesOfTheirOwn) {
  std::set<std::string> ids;
  for (const Suite& suite : all_suites()) {
    for (const Mutant& mutant : suite.mutants) {
      EXPECT_TRUE(ids.insert(mutant.id).second) << mutant.id;
      EXPECT_NE(std::ranges::find(suite.checks, mutant.check), suite.checks.end()) << mutant.id;
      EXPECT_FALSE(mutant.hazard.empty() || mutant.about.empty()) << mutant.id;
    }
  }
  EXPECT_GE(ids.size(), 60u);
}

/// A suite of one check, whose mutants do as they are told.
Suite told(std::map<std::string, std::vector<std::string>> accusations_of) {
  Suite suite{"told", {"named", "other"}, {}, true, {}};
  for (const auto& [id, checks] : accusations_of)
    if (!id.empty()) suite.mutants.push_back({id, "none", "does as it is told", "named"});
  suite.run = [accusations_of](std::string_view id, std::uint64_t) {
    Trial trial;
    trial.cases = 10;
    const auto found = accusations_of.find(std::string(id));
    if (found != accusations_of.end())
      for (const std::string& check : found->second) trial.accusations.push_back({check, "told so"});
    return trial;
  };
  return suite;
}

TEST(KillMatrix, CountsNoKillByAnotherCheck) {
  const KillMatrix matrix = try_mutants({told({{"a", {"other"}}, {"b", {"other", "named"}}})}, {});
  EXPECT_EQ(matrix.killed(), 1);
  EXPECT_FALSE(matrix.mutants[0].killed());
  EXPECT_FALSE(matrix.holds());
  EXPECT_NE(matrix.reason().find("1 of 2 mutants"), std::string::npos) << matrix.reason();
}

TEST(KillMatrix, DoesNotHoldWhereTheCodeWithoutAFaultIsAccused) {
  const KillMatrix matrix = try_mutants({told({{"", {"other"}}, {"a", {"named"}}})}, {});
  EXPECT_EQ(matrix.killed(), 1);
  EXPECT_FALSE(matrix.holds());
  EXPECT_NE(matrix.reason().find("without a fault is accused by other"), std::string::npos)
      << matrix.reason();
}

TEST(KillMatrix, DoesNotHoldWithoutAnyMutant) {
  MatrixOptions options;
  options.wanted = [](const std::string&) { return false; };
  EXPECT_FALSE(try_mutants({told({{"a", {"named"}}})}, options).holds());
}

TEST(KillMatrix, JudgesTheCodeWithoutAFaultAsOftenAsAskedFor) {
  MatrixOptions options;
  options.honest_cases = 35;
  const KillMatrix matrix = try_mutants({told({{"a", {"named"}}})}, options);
  EXPECT_EQ(matrix.honest.at(0).cases, 40);
}

}  // namespace
}  // namespace plumbline::selftest

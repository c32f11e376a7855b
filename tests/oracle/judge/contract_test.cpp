#include "oracle/judge/contract.h"

#include <array>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::array kContracts = {Contract::within_error, Contract::set_exact, Contract::tie_rule_set,
                                   Contract::canonical};

TEST(Contract, BreaksExactlyTheVerdictsOfItsTable) {
  // Rows: contracts as above. Columns: canonical, order_only, tie_only, rounding, value_error, structural.
  constexpr bool broken[4][kVerdicts] = {
      {false, false, false, false, true, true},
      {false, false, false, false, true, true},
      {false, false, true, false, true, true},
      {false, true, true, true, true, true},
  };
  for (std::size_t c = 0; c < kContracts.size(); ++c) {
    for (int v = 0; v < kVerdicts; ++v) {
      const auto verdict = static_cast<Verdict>(v);
      EXPECT_EQ(breaks(kContracts[c], verdict), broken[c][v])
          << name_of(kContracts[c]) << " " << name_of(verdict);
    }
  }
}

TEST(Contract, OnlyWithinErrorBindsTheExactScores) {
  EXPECT_FALSE(binds_selector(Contract::within_error));
  EXPECT_TRUE(binds_selector(Contract::set_exact));
  EXPECT_TRUE(binds_selector(Contract::tie_rule_set));
  EXPECT_TRUE(binds_selector(Contract::canonical));
}

TEST(Contract, ReadsBackItsOwnNamesAndNoOther) {
  for (const Contract contract : kContracts) EXPECT_EQ(contract_from(name_of(contract)), contract);
  for (const char* name : {"", "Canonical", "canonical ", "exact", "within-error"}) {
    EXPECT_EQ(contract_from(name), std::nullopt) << name;
  }
}

TEST(Verdict, NamesAreDistinctAndInOrderOfSeverity) {
  constexpr std::array<std::string_view, kVerdicts> names = {"canonical", "order_only",  "tie_only",
                                                             "rounding",  "value_error", "structural"};
  for (int v = 0; v < kVerdicts; ++v)
    EXPECT_EQ(name_of(static_cast<Verdict>(v)), names[static_cast<std::size_t>(v)]);
}

TEST(Verdict, CountsAddUpToTheRows) {
  VerdictCounts counts;
  counts.add(Verdict::tie_only);
  counts.add(Verdict::tie_only);
  counts.add(Verdict::structural);
  EXPECT_EQ(counts[Verdict::tie_only], 2);
  EXPECT_EQ(counts[Verdict::canonical], 0);
  EXPECT_EQ(counts.total(), 3);
}

}  // namespace
}  // namespace plumbline

#include "oracle/run/generated_checks.h"

#include "fixtures/cases/case_spec.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// Replaces the first winner of the last selecting row by the first block that was left out.
class FaultySubject final : public SelectSubject {
 public:
  std::string name() const override { return "faulty"; }
  SelectOutputs select(const SelectInputs& inputs) override {
    SelectOutputs outputs = reference_.select(inputs);
    corrupt(outputs.blocks.as<std::int32_t>(), inputs.geometry.block_topk);
    return outputs;
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = reference_.select_paged(inputs);
    corrupt(outputs.selected_blocks->as<std::int32_t>(), inputs.geometry.block_topk);
    return outputs;
  }

 private:
  static void corrupt(std::span<std::int32_t> blocks, std::int64_t k) {
    for (auto row = blocks.last(static_cast<std::size_t>(k));; row = {row.data() - k, row.size()}) {
      std::int32_t absent = 0;
      while (std::ranges::find(row, absent) != row.end()) ++absent;
      if (row.back() > absent) {  // a full row with a hole below its last winner
        *std::ranges::upper_bound(row, absent) = absent;
        return;
      }
      if (row.data() == blocks.data()) return;
    }
  }
  ReferenceSubject reference_;
};

PlannedCheck planned(const std::string& name, std::shared_ptr<SelectSubject> subject) {
  for (PlannedCheck& check : generated_checks(std::move(subject), 0, 0))
    if (check.name == name) return check;
  ADD_FAILURE() << name << " is no check";
  return {};
}

TEST(GeneratedChecks, CoverEveryFamilyWithAtLeast64Rows) {
  const std::vector<PlannedCheck> checks = generated_checks(std::make_shared<ReferenceSubject>(), 0, 0);
  for (const DataFamily& family : data_families()) {
    const auto found = std::ranges::find(checks, "generated/" + family.name, &PlannedCheck::name);
    ASSERT_NE(found, checks.end()) << family.name;
    EXPECT_GE(parse_case(found->source).rows, 64) << found->source;
  }
}

class OneSlot : public ::testing::TestWithParam<const char*> {};

TEST_P(OneSlot, OfTheSelectionWrongFailsTheCheck) {
  EXPECT_EQ(run_check(planned(GetParam(), std::make_shared<ReferenceSubject>())).status, Status::pass);
  const CheckResult check = run_check(planned(GetParam(), std::make_shared<FaultySubject>()));
  EXPECT_EQ(check.status, Status::fail) << check.reason;
  ASSERT_TRUE(check.proof);
  EXPECT_EQ(check.proof->faults.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(OfAGeneratedCase, OneSlot,
                         ::testing::Values("generated/relu", "generated/ties", "generated/negzero",
                                           "paged/relu", "paged/ties", "generated/paged_holes",
                                           "paged/nan_keys"));

TEST(GeneratedChecks, LeaveNoRowUnproven) {
  for (const PlannedCheck& check : generated_checks(std::make_shared<ReferenceSubject>(), 0, 0)) {
    const CheckResult result = run_check(check);
    EXPECT_EQ(result.status, Status::pass) << check.name << ": " << result.reason;
    ASSERT_TRUE(result.proof) << check.name;
    EXPECT_EQ(result.proof->rows_unproven, 0) << check.name;
    EXPECT_EQ(result.proof->rows_proven, result.proof->rows) << check.name;
  }
}

TEST(GeneratedChecks, NameCaseSeedsDeviceAndBuildInTheReproLine) {
  const std::string repro = generated_checks(std::make_shared<ReferenceSubject>(), 6, 0).front().repro;
  for (const char* part : {"plumbline verify --filter '^generated/relu$' --seed 6 # case ",
                           "geometry seed 1, data seed 7", "route none", "device cpu", "build 0."})
    EXPECT_NE(repro.find(part), std::string::npos) << repro;
}

TEST(RunCheck, TurnsAnExceptionIntoAnError) {
  PlannedCheck check;
  check.run = [](CheckResult&) { throw std::runtime_error("broke"); };
  const CheckResult result = run_check(check);
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.reason, "broke");
}

}  // namespace
}  // namespace plumbline

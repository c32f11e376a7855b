#include "oracle/run/device_checks.h"

#include "fixtures/cases/case_spec.h"
#include "oracle/run/golden_checks.h"
#include "reference/select/reference_subject.h"
#include "tests/oracle/run/stand_in.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// A stand-in for a device: the reference's selection, with one fault of choice.
class StandIn : public SelectSubject {
 public:
  enum class Fault { none, unsupported, unstable, doubles_a_block };
  explicit StandIn(Fault fault) : fault_(fault) {}
  std::string name() const override { return "stand-in"; }
  SelectOutputs select(const SelectInputs& inputs) override {
    if (fault_ == Fault::unsupported) throw UnsupportedCase("serves nothing");
    SelectOutputs outputs = reference_.select(inputs);
    spoil(outputs.blocks.as<std::int32_t>(), inputs.geometry.block_topk);
    return outputs;
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    if (fault_ == Fault::unsupported) throw UnsupportedCase("serves nothing");
    PagedSelectOutputs outputs = reference_.select_paged(inputs);
    spoil(outputs.selected_blocks->as<std::int32_t>(), inputs.geometry.block_topk);
    return outputs;
  }

 private:
  // Row 0 of each case tried has at least two winners.
  void spoil(std::span<std::int32_t> blocks, std::int32_t k) {
    const auto row = blocks.first(static_cast<std::size_t>(k));
    if (fault_ == Fault::unstable && ++calls_ == 3) std::swap(row[0], row[1]);
    if (fault_ == Fault::doubles_a_block) row[1] = row[0];
  }
  Fault fault_;
  int calls_ = 0;
  ReferenceSubject reference_;
};

DeviceSubjects stand_in(StandIn::Fault fault) {
  DeviceRoute route;
  route.name = "stand-in";
  route.subject = [fault] { return std::make_shared<StandIn>(fault); };
  DeviceSubjects device;
  device.device = "none at all";
  device.capability = "9.0";
  device.routes = {route};
  return device;
}

CheckResult result_of(const std::string& name, StandIn::Fault fault) {
  for (const PlannedCheck& check : device_checks(stand_in(fault), default_fixtures(), 0, 0))
    if (check.name == "cuda/stand-in/" + name) return run_check(check);
  ADD_FAILURE() << name << " is no check";
  return {};
}

TEST(DeviceChecks, PutEveryRouteToEveryFamilyAndEverySelectionGolden) {
  std::set<std::string> names;
  for (const PlannedCheck& check : device_checks(stand_in(StandIn::Fault::none), default_fixtures(), 0, 0)) {
    EXPECT_EQ(check.kind, CheckKind::device);
    EXPECT_NE(check.repro.find("route stand-in (forced), device none at all, build "), std::string::npos)
        << check.repro;
    names.insert(check.name);
  }
  for (const DataFamily& family : data_families())
    EXPECT_TRUE(names.contains("cuda/stand-in/generated/" + family.name)) << family.name;
  for (const char* golden : {"select_long_fp16", "paged_fp16"})
    EXPECT_TRUE(names.contains(std::string("cuda/stand-in/golden/") + golden));
  EXPECT_FALSE(names.contains("cuda/stand-in/golden/tiny_fp32"));
}

TEST(DeviceChecks, NameTheSeedThatRepeatsThem) {
  const DeviceSubjects device = stand_in(StandIn::Fault::none);
  for (const PlannedCheck& check : device_checks(device, default_fixtures(), 7, 0)) {
    const bool golden = check.name.find("/golden/") != std::string::npos;
    EXPECT_EQ(check.repro.find("--seed 7 #") == std::string::npos, golden) << check.repro;
  }
}

TEST(DeviceChecks, PutARouteOnlyToWhatItTakes) {
  DeviceSubjects device = stand_in(StandIn::Fault::none);
  for (const PlannedCheck& check : device_checks(device, default_fixtures(), 0, 0)) {
    if (check.name.find("golden") != std::string::npos) continue;
    const CaseSpec spec = parse_case(check.source);
    EXPECT_EQ(spec.geometry.index_heads, 4) << check.source;
    EXPECT_EQ(spec.geometry.index_head_dim, 128) << check.source;
  }
  device.routes[0].on_given_scores = true;
  std::size_t with_scores = 0;
  for (const DataFamily& family : data_families()) with_scores += family.gives_scores ? 1 : 0;
  EXPECT_EQ(device_checks(device, default_fixtures(), 0, 0).size(), 2 * with_scores);  // asked, and varied
}

TEST(DeviceChecks, AskForAGoldensAnswersOnceAndJudgeThemTwice) {
  const auto calls = std::make_shared<int>(0);
  DeviceSubjects device = stand_in(StandIn::Fault::none);
  device.routes[0].subject = [calls] {
    return std::make_shared<SpoiltSubject>([calls](const SelectInputs&, SelectOutputs&) { ++*calls; });
  };
  for (const PlannedCheck& check : device_checks(device, default_fixtures(), 0, 0)) {
    if (check.name != "cuda/stand-in/golden/select_near_budget_bf16") continue;
    const CheckResult result = run_check(check);
    EXPECT_EQ(*calls, 5);
    ASSERT_EQ(result.selections.size(), 2u);
    EXPECT_EQ(result.selections[0].contract, Contract::canonical);
    EXPECT_EQ(result.selections[1].contract, Contract::within_error);
  }
}

TEST(DeviceChecks, PutARouteForSeveralRequestsToThoseAlone) {
  DeviceSubjects device = stand_in(StandIn::Fault::none);
  device.routes[0].several_requests = true;
  const std::vector<PlannedCheck> checks = device_checks(device, default_fixtures(), 0, 0);
  EXPECT_FALSE(checks.empty());
  for (const PlannedCheck& check : checks) {
    EXPECT_EQ(check.name.find("golden/select_"), std::string::npos) << check.name;
    if (check.name.find("golden") != std::string::npos) continue;
    EXPECT_GE(parse_case(check.source).requests, 2) << check.source;
  }
}

class OnOneCase : public testing::TestWithParam<const char*> {};

TEST_P(OnOneCase, PassesWhatIsRightAndJudgesItTwice) {
  const CheckResult result = result_of(GetParam(), StandIn::Fault::none);
  EXPECT_EQ(result.status, Status::pass) << result.reason;
  EXPECT_GE(result.selections.size(), 2u);
}

TEST_P(OnOneCase, CallsUnsupportedWhatTheRouteDoesNotServe) {
  const CheckResult result = result_of(GetParam(), StandIn::Fault::unsupported);
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_EQ(result.reason, "serves nothing");
}

TEST_P(OnOneCase, FailsAnAnswerThatIsNotTheSameEveryTime) {
  const CheckResult result = result_of(GetParam(), StandIn::Fault::unstable);
  EXPECT_EQ(result.status, Status::fail);
  EXPECT_NE(result.reason.find("differ in a bit"), std::string::npos) << result.reason;
}

TEST_P(OnOneCase, FailsABlockThatIsClaimedTwice) {
  EXPECT_EQ(result_of(GetParam(), StandIn::Fault::doubles_a_block).status, Status::fail);
}

INSTANTIATE_TEST_SUITE_P(DeviceChecks, OnOneCase,
                         testing::Values("generated/relu", "paged/relu", "golden/select_near_budget_bf16",
                                         "golden/paged_bf16_ties"));

}  // namespace
}  // namespace plumbline

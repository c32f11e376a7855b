#include "oracle/run/witnessed_subject.h"

#include "oracle/run/device_checks.h"
#include "oracle/run/golden_checks.h"
#include "tests/oracle/run/stand_in.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// The paged route of a watched stand-in, as verify puts it to one family.
class WatchedDevice : public ::testing::TestWithParam<const char*> {
 protected:
  WatchedDevice() {
    device_ = stand_in_device([this] { return std::make_shared<SpoiltSubject>(spoil_, spoil_paged_); },
                              "score.paged+topk.lexicographic");
    device_.tracer = tracer_;
  }
  CheckResult result() const {
    const std::string name = std::string("cuda/score.paged+topk.lexicographic/") + GetParam();
    for (const PlannedCheck& check : device_checks(device_, default_fixtures(), 0, 0))
      if (check.name == name) return run_check(check);
    ADD_FAILURE() << name << " is no check";
    return {};
  }
  void change(std::function<void(dispatch::CallTrace&)> change) { tracer_->change = std::move(change); }
  void expect_missed(const std::string& line) const {
    const CheckResult missed = result();
    EXPECT_EQ(missed.status, Status::route_missed);
    EXPECT_EQ(missed.reason.substr(0, line.size()), line);
  }

  std::shared_ptr<StandInTracer> tracer_ = std::make_shared<StandInTracer>();
  SpoiltSubject::Spoil spoil_;
  SpoiltSubject::SpoilPaged spoil_paged_;
  DeviceSubjects device_;
};

TEST_P(WatchedDevice, PassesARouteThatRanAsPlannedAndReportsItsHits) {
  const CheckResult passed = result();
  EXPECT_EQ(passed.status, Status::pass) << passed.reason;
  ASSERT_TRUE(passed.routes);
  EXPECT_GE(passed.routes->calls, 5);
  EXPECT_EQ(tracer_->begun, tracer_->ended);
  EXPECT_EQ(passed.routes->calls, tracer_->begun);
  ASSERT_EQ(passed.routes->hits.size(), 3u);
  EXPECT_EQ(passed.routes->hits[0].route, dispatch::Route::score_paged);
  EXPECT_EQ(passed.routes->hits[0].tags, 2 * passed.routes->calls);
  EXPECT_EQ(passed.routes->hits[0].records, 2 * passed.routes->calls);
}

TEST_P(WatchedDevice, MissesARouteWhoseKernelDidNotRun) {
  change([](dispatch::CallTrace& seen) {
    seen.tags->erase(seen.tags->begin() + 1);
    seen.records->erase(seen.records->begin() + 1);
  });
  expect_missed("planned launch without a hit: score_paged of score.paged");
}

TEST_P(WatchedDevice, MissesAnotherKernelInItsPlace) {
  change([](dispatch::CallTrace& seen) {
    seen.tags->at(2).kernel = dispatch::Kernel::topk_persistent;
    seen.tags->at(2).route = dispatch::Route::topk_persistent;
  });
  expect_missed("hit without a plan: topk_persistent of topk.persistent");
}

TEST_P(WatchedDevice, MissesAForeignSymbol) {
  change([](dispatch::CallTrace& seen) {
    seen.records->push_back({seen.records->front().nonce, "void other::sort_kernel", {1, 1, 1}, 0, 1});
  });
  expect_missed("symbol of another family: void other::sort_kernel");
}

TEST_P(WatchedDevice, MissesAnotherPlansNonce) {
  change([](dispatch::CallTrace& seen) { ++seen.tags->back().nonce; });
  expect_missed("wrong nonce: expand_tokens");
}

TEST_P(WatchedDevice, MissesACallThatNothingWatched) {
  change([](dispatch::CallTrace& seen) {
    seen.tags.reset();
    seen.records.reset();
  });
  expect_missed("no witness");
}

TEST_P(WatchedDevice, TakesASingleWitness) {
  change([](dispatch::CallTrace& seen) { seen.records.reset(); });
  const CheckResult passed = result();
  EXPECT_EQ(passed.status, Status::pass) << passed.reason;
  EXPECT_EQ(passed.routes->hits[0].records, 0);
}

TEST_P(WatchedDevice, FailsAWrongAnswerWhateverRan) {
  change([](dispatch::CallTrace& seen) { seen.tags->clear(); });
  spoil_ = [](const SelectInputs&, SelectOutputs& outputs) {
    outputs.blocks.as<std::int32_t>()[1] = outputs.blocks.as<std::int32_t>()[0];
  };
  spoil_paged_ = [](const PagedSelectInputs&, PagedSelectOutputs& outputs) {
    outputs.selected_blocks->as<std::int32_t>()[1] = outputs.selected_blocks->as<std::int32_t>()[0];
  };
  const CheckResult failed = result();
  EXPECT_EQ(failed.status, Status::fail);
  EXPECT_FALSE(failed.routes->misses.empty());
}

INSTANTIATE_TEST_SUITE_P(DeviceChecks, WatchedDevice,
                         testing::Values("generated/relu", "paged/relu", "varied/generated/relu",
                                         "golden/select_near_budget_bf16", "golden/paged_bf16_ties"));

TEST(WitnessedSubject, ClosesACallThatFails) {
  const auto tracer = std::make_shared<StandInTracer>();
  WitnessedSubject subject(
      std::make_shared<SpoiltSubject>(
          [](const SelectInputs&, SelectOutputs&) { throw UnsupportedCase("no"); }),
      {tracer, {9, 0}, "score.paged+topk.lexicographic", dispatch::CalledStages::all, 1});
  const std::vector<std::int32_t> visible = {2};
  const std::vector<float> scores = {1, 2};
  SelectInputs inputs;
  inputs.geometry.block_topk = 1;
  inputs.rows = 1;
  inputs.blocks = 2;
  inputs.scores =
      TensorView{DType::float32, {1, 2}, {2, 1}, reinterpret_cast<const std::byte*>(scores.data())};
  inputs.visible_blocks =
      TensorView{DType::int32, {1}, {1}, reinterpret_cast<const std::byte*>(visible.data())};
  EXPECT_THROW(subject.select(inputs), UnsupportedCase);
  EXPECT_EQ(tracer->ended, 1);
  EXPECT_EQ(subject.evidence().calls, 0);
}

}  // namespace
}  // namespace plumbline

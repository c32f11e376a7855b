#include "oracle/run/verify_run.h"

#include "tests/fixtures/capture/temp_dir.h"
#include "tests/oracle/run/stand_in.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// A plan of verify in a build that offers one route, and whether it looked for the device.
struct Planned {
  VerifyPlan plan;
  int probes = 0;
};

Planned planned(const std::string& filter, const DeviceSubjects& found,
                const std::string& offered = "stand-in") {
  const TempDir folder;
  std::filesystem::copy_file(golden_path("select_near_budget_bf16"), folder.file("near.h5"));
  Planned planned;
  VerifyOptions options;
  options.fixtures = folder.path().string();
  options.filter = NameFilter(filter);
  options.offered = stand_in_device([] { return std::make_shared<SpoiltSubject>(); }, offered);
  options.offered.device.clear();
  options.probe = [&] {
    ++planned.probes;
    return found;
  };
  planned.plan = plan_verify(options);
  return planned;
}

DeviceSubjects no_device() {
  DeviceSubjects none;
  none.reason = "no CUDA device";
  return none;
}

TEST(PlanVerify, DoesNotLookForADeviceThatNoCheckNeeds) {
  for (const char* filter : {"^golden/", "^generated/ties$", "^nothing$"}) {
    const Planned one = planned(filter, no_device());
    EXPECT_EQ(one.probes, 0) << filter;
    EXPECT_EQ(one.plan.device.device, "") << filter;
  }
}

TEST(PlanVerify, LooksForTheDeviceOnceWhereACheckNeedsIt) {
  const DeviceSubjects found = stand_in_device([] { return std::make_shared<SpoiltSubject>(); });
  for (const char* filter : {"", "^cuda/stand-in/generated/ties$", "varied"}) {
    const Planned one = planned(filter, found);
    EXPECT_EQ(one.probes, 1) << filter;
    EXPECT_EQ(one.plan.device.device, "none at all") << filter;
  }
  EXPECT_EQ(planned("^cuda/stand-in/generated/ties$", found).plan.checks.size(), 1u);
}

TEST(PlanVerify, SaysThatThereIsNoDevice) {
  const Planned one = planned("^cuda", no_device());
  ASSERT_EQ(one.plan.checks.size(), 1u);
  const RunReport run = run_checks(one.plan);
  EXPECT_EQ(run.checks[0].status, Status::not_executed);
  EXPECT_EQ(run.checks[0].reason.substr(0, 14), "no CUDA device");
  EXPECT_EQ(run.capability, "");
}

TEST(RunChecks, NamesTheDeviceAndItsWitnesses) {
  const std::string route = "score.paged+topk.lexicographic";
  DeviceSubjects found = stand_in_device([] { return std::make_shared<SpoiltSubject>(); }, route);
  found.tracer = std::make_shared<StandInTracer>();
  const RunReport run = run_checks(planned("topk.lexicographic/generated/ties$", found, route).plan);
  ASSERT_EQ(run.checks.size(), 1u);
  EXPECT_EQ(run.checks[0].status, Status::pass) << run.checks[0].reason;
  EXPECT_EQ(run.capability, "9.0");
  EXPECT_EQ(run.witnesses, "stand-ins");
  EXPECT_EQ(run.machine.device, "none at all");
}

}  // namespace
}  // namespace plumbline

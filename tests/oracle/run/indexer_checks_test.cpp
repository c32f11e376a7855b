#include "oracle/run/indexer_checks.h"

#include "oracle/run/golden_checks.h"
#include "tests/oracle/run/stand_in.h"
#include "tests/oracle/run/stand_in_indexer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Fault = IndexerFault;

CheckResult run(const std::string& name, Fault fault, const std::string& fixtures = default_fixtures(),
                const std::shared_ptr<dispatch::CallTracer>& tracer = nullptr) {
  DeviceSubjects device;
  device.device = "stand-in";
  device.indexer = [fault] { return std::make_shared<StandInIndexer>(fault); };
  device.tracer = tracer;
  const auto checks = indexer_checks(device, fixtures, 0);
  const auto found = std::ranges::find_if(
      checks, [&](const PlannedCheck& check) { return check.name == "cuda/indexer/" + name; });
  EXPECT_NE(found, checks.end()) << name;
  return found == checks.end() ? CheckResult{} : run_check(*found);
}

TEST(IndexerChecks, PassARightIndexer) {
  for (const std::string name : {"splits/bf16", "splits/f16", "splits/f16-images", "splits/f32-1x200-ratio-8",
                                 "rollback/bf16-3x48-ratio-2", "golden/tiny_bf16", "golden/tiny_padded",
                                 "golden/tiny_mrope", "golden/tiny_short"}) {
    const CheckResult result = run(name, Fault::none);
    EXPECT_EQ(result.status, Status::pass) << name << ": " << result.reason;
    EXPECT_NE(result.reason.find("within their bounds"), std::string::npos) << result.reason;
  }
}

TEST(IndexerChecks, SeeEveryPlantedFault) {
  const std::pair<Fault, std::string> faults[] = {
      {Fault::one_group_ring, "rollback/bf16"},
      {Fault::pools_the_draft, "splits/bf16"},
      {Fault::last_members_place, "splits/bf16"},
      {Fault::last_members_place, "golden/tiny_bf16"},
      {Fault::time_axis_only, "splits/f16-images"},
      {Fault::time_axis_only, "golden/tiny_mrope"},
      {Fault::no_norm, "splits/bf16"},
      {Fault::no_norm, "golden/tiny_fp16"},
      {Fault::writes_beyond_the_table, "splits/f16"},
      {Fault::projects_twice, "golden/tiny_fp32"},
  };
  for (const auto& [fault, name] : faults) {
    const CheckResult result = run(name, fault);
    EXPECT_EQ(result.status, Status::fail)
        << name << ", fault " << static_cast<int>(fault) << ": " << result.reason;
  }
  EXPECT_EQ(run("splits/bf16", Fault::writes_padded_queries).status, Status::error);
}

/// Saw nothing of any call.
class BlindTracer final : public dispatch::CallTracer {
 public:
  void begin(std::uint64_t) override { open_ += 1; }
  dispatch::CallTrace end() override {
    open_ -= 1;
    dispatch::CallTrace seen;
    seen.tags.emplace();
    return seen;
  }
  std::string witnesses() const override { return "nobody"; }
  int open() const { return open_; }

 private:
  int open_ = 0;
};

TEST(IndexerChecks, MissARightIndexerWhoseKernelsNobodySaw) {
  const auto blind = std::make_shared<BlindTracer>();
  const CheckResult result = run("splits/bf16", Fault::none, default_fixtures(), blind);
  EXPECT_EQ(result.status, Status::route_missed) << result.reason;
  EXPECT_NE(result.reason.find("planned launch without a hit: rotation_table of index.rotation"),
            std::string::npos)
      << result.reason;
  EXPECT_EQ(blind->open(), 0);
}

TEST(IndexerChecks, SayWhatIsNotServed) {
  EXPECT_EQ(run("splits/bf16", Fault::refuses).status, Status::unsupported);
}

}  // namespace
}  // namespace plumbline

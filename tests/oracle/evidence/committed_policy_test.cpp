#include "oracle/evidence/gate.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// What the policy of this project asks of a capability, made up: a check a path, hits, and figures just
/// within the bounds of the ratios.
Evidence just_enough(const Policy& policy, const std::string& capability) {
  Evidence evidence = cpu_evidence();
  if (capability != "cpu")
    evidence.device = {"Example GPU", capability, "580.1", "13000", "13000", "130100", "device tags"};
  evidence.checks.clear();
  for (const Policy::RequiredLevel& rule : policy.levels) {
    if (rule.capability != capability || rule.level < Level::executed) continue;
    const bool attention = rule.path.starts_with("attention.");
    const std::string name = capability == "cpu" ? rule.path.substr(4) + "/x"
                             : attention         ? "cuda/attention/x/" + rule.path
                                                 : "cuda/" + rule.path + "/x";
    EvidenceCheck check = sample_check(name, capability, "x");
    for (const Policy::RequiredHit& hit : policy.hits)
      if (hit.route == rule.path && hit.capability == capability)
        check.hits = {{hit.route, hit.at_least, hit.at_least}};
    evidence.checks.push_back(check);
    if (rule.level == Level::measured) evidence.figures.push_back({"stage", "", rule.path, 0, 1, 1, 1});
  }
  for (const Policy::Ratio& rule : policy.ratios) {
    if (rule.capability != capability) continue;
    evidence.figures.push_back({rule.over, rule.stage, "", rule.blocks, 1, 1, 1});
    evidence.figures.push_back({rule.arm, rule.stage, "", rule.blocks, *rule.at_most, 1, 1});
  }
  evidence.figures_commit = kCommit;
  evidence.cells = cells_of(evidence);
  return evidence;
}

class CommittedPolicy : public ::testing::Test {
 protected:
  int problems() const {
    return static_cast<int>(judge_gate(runs_, {}, policy_, {kCommit, "2026-12-01"}).problems.size());
  }
  Policy policy_ = read_policy(PLUMBLINE_SOURCE_DIR "/ci/policy.json");
  std::vector<NamedEvidence> runs_ = {{"cpu", just_enough(policy_, "cpu")},
                                      {"h200", just_enough(policy_, "9.0")}};
};

TEST_F(CommittedPolicy, IsMetByACpuAndAnH200TogetherAndByNeitherAlone) {
  EXPECT_EQ(problems(), 0) << gate_text(judge_gate(runs_, {}, policy_, {kCommit, "2026-12-01"}));
  std::swap(runs_[0], runs_[1]);
  EXPECT_EQ(problems(), 0);
  const std::vector<NamedEvidence> both = runs_;
  for (const NamedEvidence& run : both) {
    runs_ = {run};
    EXPECT_GT(problems(), 0);
  }
}

TEST_F(CommittedPolicy, MissesEveryCheckThatDidNotPass) {
  for (std::size_t run = 0; run < 2; ++run)
    for (std::size_t at = 0; at < runs_[run].evidence.checks.size(); ++at) {
      const Evidence whole = runs_[run].evidence;
      Evidence& less = runs_[run].evidence;
      less.checks[at].status = Status::not_executed;
      less.cells = cells_of(less);
      EXPECT_GT(problems(), 0) << whole.checks[at].name;
      runs_[run].evidence = whole;
    }
}

TEST_F(CommittedPolicy, MissesEveryHitAndEveryRatio) {
  const Evidence whole = runs_[1].evidence;
  for (std::size_t at = 0; at < whole.checks.size(); ++at) {
    if (whole.checks[at].hits.empty()) continue;
    runs_[1].evidence.checks[at].hits.clear();
    runs_[1].evidence.cells = cells_of(runs_[1].evidence);
    EXPECT_GT(problems(), 0) << whole.checks[at].name;
    runs_[1].evidence = whole;
  }
  for (std::size_t at = 0; at < whole.figures.size(); ++at) {
    if (whole.figures[at].stage.empty() || whole.figures[at].arm == "exact70") continue;
    runs_[1].evidence.figures[at].median_ms *= 1.01;
    EXPECT_GT(problems(), 0) << whole.figures[at].name();
    runs_[1].evidence = whole;
  }
}

TEST_F(CommittedPolicy, ClaimsNoExecutionBelowNinePointZero) {
  for (const Policy::RequiredLevel& rule : policy_.levels)
    if (rule.capability != "9.0" && rule.capability != "cpu") {
      EXPECT_EQ(rule.level, Level::planned) << rule.path << " on " << rule.capability;
    }
}

}  // namespace
}  // namespace plumbline

#include "oracle/evidence/merge.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/verify_run.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

VerifyOptions some_checks() {
  VerifyOptions options;
  options.fixtures = default_fixtures();
  options.filter_text = "^(generated|golden/select_n)";
  options.filter = NameFilter(options.filter_text);
  return options;
}

Evidence run_part(const Shard& shard) {
  VerifyOptions options = some_checks();
  options.shard = shard;
  return evidence_of({{"report.json", verify_json(run_checks(plan_verify(options)))}});
}

TEST(Sharding, PartsOfARunTogetherAreTheRun) {
  const Evidence whole = run_part({1, 1});
  std::vector<NamedEvidence> parts;
  std::vector<Json> checks;
  for (int index = 1; index <= 3; ++index) {
    parts.push_back({"part", run_part({index, 3})});
    EXPECT_LT(parts.back().evidence.checks.size(), whole.checks.size());
    const Json part = to_json(parts.back().evidence);
    checks.insert(checks.end(), part["checks"].begin(), part["checks"].end());
  }
  std::vector<Json> wanted = to_json(whole)["checks"];
  EXPECT_GT(wanted.size(), 25u);
  std::ranges::sort(checks);
  std::ranges::sort(wanted);
  EXPECT_EQ(Json(checks), Json(wanted));
  Evidence merged = whole;
  merged.cells = merge_cells(parts);
  EXPECT_EQ(to_json(merged)["cells"], to_json(whole)["cells"]);
}

TEST(Sharding, EveryCheckLiesInOnePartWhateverElseIsPlanned) {
  for (const char* name : {"generated/ties", "cuda/select.fused/generated/ties", ""}) {
    int parts = 0;
    for (int index = 1; index <= 7; ++index) parts += Shard{index, 7}.holds(name) ? 1 : 0;
    EXPECT_EQ(parts, 1) << name;
  }
  // The hash is part of the format: parts run by programs of different builds must fit together.
  EXPECT_TRUE((Shard{1, 2}.holds("generated/ties")) != (Shard{2, 2}.holds("generated/ties")));
}

TEST(Sharding, APartThatHoldsNothingDoesNotPass) {
  VerifyOptions options = some_checks();
  options.filter = NameFilter("^generated/ties$");
  int empty = 0;
  for (int index = 1; index <= 3; ++index) {
    options.shard = {index, 3};
    const RunReport run = run_checks(plan_verify(options));
    if (!run.checks.empty()) continue;
    ++empty;
    EXPECT_EQ(run.counts().exit_code(), 3);
  }
  EXPECT_EQ(empty, 2);
}

}  // namespace
}  // namespace plumbline

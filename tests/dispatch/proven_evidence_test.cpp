#include "gpu/dispatch/proven_evidence.h"

#include "tests/fixtures/capture/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plumbline::dispatch {
namespace {

/// A folder of its own with one evidence file, run.json.
class ProvenEvidence : public ::testing::Test {
 protected:
  std::vector<std::string> check(const std::string& evidence, Route route, Capability capability = {9, 0}) {
    std::ofstream(root_ / "run.json") << evidence;
    return check_proven({{route, capability, "run.json"}}, root_);
  }

  TempDir directory_;
  std::filesystem::path root_ = directory_.path();
  const std::string hopper_run_ =
      R"({"device": {"capability": "9.0"}, "hits": [{"route": "score.cublas_single"},
                                                    {"route": "topk.lexicographic.generic"}]})";
};

TEST_F(ProvenEvidence, BacksARouteItHit) {
  EXPECT_TRUE(check(hopper_run_, Route::score_cublas_single).empty());
}

TEST_F(ProvenEvidence, AHitOfAVariantBacksTheOperation) {
  EXPECT_TRUE(check(hopper_run_, Route::topk_lexicographic).empty());
}

TEST_F(ProvenEvidence, ARouteWithoutAHitIsNotBacked) {
  const auto problems = check(hopper_run_, Route::score_cublas_split);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "score.cublas_split on 9.0 (run.json): evidence has no hit of the route");
}

TEST_F(ProvenEvidence, AnotherCapabilityIsNotBacked) {
  const auto problems = check(hopper_run_, Route::score_cublas_single, {8, 0});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "score.cublas_single on 8.0 (run.json): evidence is of capability 9.0");
}

TEST_F(ProvenEvidence, AMissingFileIsNamed) {
  const auto problems = check_proven({{Route::score_cublas_single, {9, 0}, "gone.json"}}, root_);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "score.cublas_single on 9.0 (gone.json): evidence file is missing");
}

TEST_F(ProvenEvidence, AnUnreadableFileBacksNothing) {
  for (const char* text : {"", "{}", R"({"device": {"capability": 9}})",
                           R"({"device": {"capability": "9.0"}, "hits": [{"route": "nonsense"}]})"}) {
    EXPECT_EQ(check(text, Route::score_cublas_single).size(), 1u) << text;
  }
}

TEST_F(ProvenEvidence, ARouteNoGateSetDecidesDoesNotBelongInTheTable) {
  EXPECT_EQ(check(hopper_run_, Route::score_paged).size(), 1u);
}

TEST_F(ProvenEvidence, NamesTheDisputedRoutesAFileBacks) {
  EXPECT_TRUE(check(hopper_run_, Route::score_cublas_single).empty());
  const std::vector<ProvenRoute> proven = proven_by("run.json", root_);
  ASSERT_EQ(proven.size(), 2u);
  EXPECT_EQ(proven[0].route, Route::score_cublas_single);
  EXPECT_EQ(proven[1].route, Route::topk_lexicographic);
  EXPECT_EQ(to_string(proven[1].capability), "9.0");
  EXPECT_EQ(proven[1].evidence, "run.json");
  (void)check(R"({"times": []})", Route::score_cublas_single);
  EXPECT_TRUE(proven_by("run.json", root_).empty());
  EXPECT_TRUE(proven_by("gone.json", root_).empty());
}

/// "score.cublas_single on 9.0" of each entry.
std::set<std::string> admitted(const std::vector<ProvenRoute>& entries) {
  std::set<std::string> lines;
  for (const ProvenRoute& entry : entries)
    lines.insert(std::string(name_of(entry.route)) + " on " + to_string(entry.capability));
  return lines;
}

TEST(ProvenTable, HoldsWhatTheCommittedEvidenceProvesAndNothingElse) {
  const std::filesystem::path root = PLUMBLINE_SOURCE_DIR;
  std::vector<ProvenRoute> proven;
  for (const auto& file : std::filesystem::directory_iterator(root / "ci/evidence")) {
    if (file.path().extension() != ".json") continue;
    for (const ProvenRoute& entry : proven_by("ci/evidence/" + file.path().filename().string(), root))
      proven.push_back(entry);
  }
  EXPECT_EQ(admitted(gate_set("proven").table), admitted(proven))
      << "gpu/dispatch/proven_capabilities.json needs an entry for each of the second";
}

TEST(ProvenTable, EveryEntryIsBackedByItsEvidence) {
  const auto problems = check_proven(gate_set("proven").table, PLUMBLINE_SOURCE_DIR);
  for (const std::string& problem : problems) ADD_FAILURE() << problem;
}

TEST(ProvenTable, TheLibraryCarriesTheTableOfTheSourceTree) {
  std::ifstream file(std::filesystem::path(PLUMBLINE_SOURCE_DIR) / "gpu/dispatch/proven_capabilities.json");
  const nlohmann::json entries = nlohmann::json::parse(file).at("entries");
  const std::vector<ProvenRoute>& table = gate_set("proven").table;
  ASSERT_EQ(table.size(), entries.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(name_of(table[i].route), entries[i].at("route").get<std::string>());
    EXPECT_EQ(to_string(table[i].capability), entries[i].at("capability").get<std::string>());
    EXPECT_EQ(table[i].evidence, entries[i].at("evidence").get<std::string>());
  }
}

}  // namespace
}  // namespace plumbline::dispatch

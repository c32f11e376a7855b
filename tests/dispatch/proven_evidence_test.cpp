#include "gpu/dispatch/proven_evidence.h"

#include "tests/fixtures/capture/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <sstream>

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

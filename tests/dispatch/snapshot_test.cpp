#include "gpu/dispatch/snapshot.h"

#include "gpu/dispatch/snapshot_cases.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

const SnapshotRow& row_of(const Snapshot& snapshot, const std::string& id) {
  for (const SnapshotRow& row : snapshot.rows) {
    if (row.id == id) return row;
  }
  throw std::invalid_argument("no row " + id);
}

TEST(Snapshot, HoldsEveryCaseOnEveryCapability) {
  const Snapshot snapshot = take_snapshot(gate_set("family7x"));
  std::set<std::string> ids;
  for (const SnapshotRow& row : snapshot.rows) ids.insert(row.id);
  EXPECT_EQ(snapshot.rows.size(), snapshot_cases().size() * 9);
  EXPECT_EQ(ids.size(), snapshot.rows.size());
}

TEST(Snapshot, CoversTheScoreWorkThresholdExactly) {
  const Snapshot snapshot = take_snapshot(gate_set("exact70"));
  EXPECT_EQ(row_of(snapshot, "prefill.scores_1048575@7.0").routes.at("score"), "score.paged");
  EXPECT_EQ(row_of(snapshot, "prefill.scores_1048576@7.0").routes.at("score"), "score.cublas_single");
}

TEST(Snapshot, JoinsTheRoutesOfSegmentsAndChunksInOrder) {
  const Snapshot snapshot = take_snapshot(gate_set("family7x"));
  EXPECT_EQ(row_of(snapshot, "requests.short_long_short@7.5").routes.at("score"),
            "score.paged + score.cublas_split + score.paged");
  EXPECT_EQ(row_of(snapshot, "prefill.length_249950@7.5").routes.at("topk"),
            "topk.lexicographic.generic + topk.lexicographic.compact");
  EXPECT_EQ(row_of(snapshot, "prefill.length_184000@7.5").layout,
            "rows 0-1616 x 46000: 2x729/5632 1x158/26368");
}

TEST(Snapshot, ShowsEveryRouteThatCanBePlanned) {
  std::string all;
  for (const std::string& gates : gate_set_names()) {
    for (const SnapshotRow& row : take_snapshot(gate_set(gates)).rows) {
      for (const auto& [stage, routes] : row.routes) all += routes + " + ";
    }
  }
  for (const Route route : all_routes()) {
    const bool forced_alone = stage_of(route) == Stage::select || stage_of(route) == Stage::index ||
                              route == Route::score_hopper || route == Route::topk_products;
    const bool planned = route != Route::topk_lexicographic && route != Route::attention_page4 &&
                         route != Route::attention_resolved && !forced_alone;
    EXPECT_EQ(all.find(std::string(name_of(route)) + " + ") != std::string::npos, planned) << name_of(route);
  }
}

TEST(Snapshot, RowsWithoutAKernelAreNotSupported) {
  const Snapshot snapshot = take_snapshot(gate_set("exact70"));
  EXPECT_FALSE(row_of(snapshot, "topk.rows_32.columns_32768@9.0").supported);
  EXPECT_TRUE(row_of(snapshot, "topk.rows_33.columns_32768@9.0").supported);
}

TEST(Snapshot, KeepsTheFirstFailingGateOfEveryRejectedRoute) {
  const SnapshotRow row = row_of(take_snapshot(gate_set("exact70")), "prefill.rows_1616@7.5");
  const auto has = [&](const std::string& line) {
    return std::find(row.rejected.begin(), row.rejected.end(), line) != row.rejected.end();
  };
  EXPECT_TRUE(has("score.cublas_single: capability: 7.5, required exactly 7.0"));
  EXPECT_TRUE(has("topk.lexicographic: capability: 7.5, required exactly 7.0"));
}

TEST(SnapshotFile, RoundTrips) {
  const Snapshot snapshot = take_snapshot(gate_set("family7x"));
  EXPECT_EQ(snapshot_from_json(to_json(snapshot), "a.json"), snapshot);
}

TEST(SnapshotFile, SaysThatNoKernelRan) {
  EXPECT_NE(to_json({"s", "exact70", {}})
                .find("\"basis\": \"static: dispatch predicates evaluated on the host, no kernel ran\""),
            std::string::npos);
}

TEST(SnapshotFile, RefusesWhatIsNoSnapshot) {
  const std::string good = to_json({"s", "exact70", {}});
  std::string other_schema = good;
  other_schema.replace(other_schema.find("\"schema\": 1"), 11, "\"schema\": 2");
  // Printed, a million levels would take the stack.
  const std::string deep = "{\"schema\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  for (const std::string& text : {std::string("not json"), std::string("{}"), std::string("[]"), other_schema,
                                  good.substr(0, good.size() / 2), deep}) {
    EXPECT_THROW(snapshot_from_json(text, "a.json"), std::invalid_argument) << text.substr(0, 80);
  }
}

TEST(SnapshotFile, RefusesARowThatAppearsTwice) {
  const SnapshotRow row{"a@7.5", "7.5", {}, "", true, {}};
  try {
    snapshot_from_json(to_json({"s", "exact70", {row, row}}), "b.json");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "b.json: row a@7.5 appears twice");
  }
}

}  // namespace
}  // namespace plumbline::dispatch

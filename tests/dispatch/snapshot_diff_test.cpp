#include "gpu/dispatch/snapshot_diff.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

Snapshot one_row(const std::string& score, const std::string& layout = "rows 0-1") {
  return {"s",
          "g",
          {{"case@7.5", "7.5", {{"score", score}, {"topk", "topk.persistent"}}, layout, true, {"why"}}}};
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// How the widening of the gates shows in one row of the diff; empty if it should not be there at all.
bool is_admitted_by_the_family(const SnapshotDiff::Change& change) {
  const bool turing_or_xavier = contains(change.id, "@7.2/") || contains(change.id, "@7.5/");
  const bool score = contains(change.id, "/score") && contains(change.text, ": score.paged -> ") &&
                     contains(change.text, "score.cublas_");
  const bool topk = contains(change.id, "/topk") && contains(change.text, ": topk.persistent -> ") &&
                    contains(change.text, "-> topk.lexicographic.");
  return turing_or_xavier && (score || topk);
}

TEST(GateSetDiff, TheFamilyChangesTheDisputedRoutesOfSevenTwoAndSevenFiveAndNothingElse) {
  const SnapshotDiff changes = diff(take_snapshot(gate_set("exact70")), take_snapshot(gate_set("family7x")));
  for (const SnapshotDiff::Change& change : changes.changes) {
    EXPECT_TRUE(is_admitted_by_the_family(change)) << change.text;
  }
}

TEST(GateSetDiff, TheFamilyGivesSevenTwoAndSevenFiveWhatSevenZeroHad) {
  const Snapshot before = take_snapshot(gate_set("exact70")), after = take_snapshot(gate_set("family7x"));
  std::map<std::string, std::map<std::string, SnapshotRow>> rows_after, rows_before;
  const auto base = [](const SnapshotRow& row) { return row.id.substr(0, row.id.find('@')); };
  for (const SnapshotRow& row : after.rows) rows_after[base(row)][row.capability] = row;
  for (const SnapshotRow& row : before.rows) rows_before[base(row)][row.capability] = row;
  std::set<std::string> expected;
  for (const auto& [name, rows] : rows_before) {
    for (const std::string capability : {"7.2", "7.5"}) {
      for (const std::string stage : {"score", "topk"}) {
        const auto& was = rows.at(capability).routes;
        const auto& seven_zero = rows.at("7.0").routes;
        if (was.count(stage) == 0 || was.at(stage) == seven_zero.at(stage)) continue;
        if (seven_zero.at(stage) == "score.shared_key") continue;  // the seed left that gate at 7.0
        expected.insert(name + "@" + capability + "/" + stage);
      }
    }
  }
  std::set<std::string> changed;
  for (const SnapshotDiff::Change& change : diff(before, after).changes) changed.insert(change.id);
  EXPECT_EQ(changed, expected);
}

// Counted by hand from the list of cases, each on 7.2 and 7.5: 21 single requests with enough rows and work,
// 4 batches to split, and 149 of the 154 cases with rows and a top-k of 512.
TEST(GateSetDiff, CountsEachKindOfChangedRow) {
  std::map<std::string, int> counts;
  const SnapshotDiff changes = diff(take_snapshot(gate_set("exact70")), take_snapshot(gate_set("family7x")));
  for (const SnapshotDiff::Change& change : changes.changes) {
    for (const char* route : {"score.cublas_single", "score.cublas_split", "topk.lexicographic"}) {
      if (contains(change.text, route)) ++counts[route];
    }
  }
  EXPECT_EQ(counts["score.cublas_single"], 2 * 21);
  EXPECT_EQ(counts["score.cublas_split"], 2 * 4);
  EXPECT_EQ(counts["topk.lexicographic"], 2 * 149);
  EXPECT_EQ(changes.changes.size(), 2u * (21 + 4 + 149));
  EXPECT_EQ(changes.compared, 154u * 9);
}

TEST(GateSetDiff, ASnapshotDiffersNowhereFromItself) {
  const Snapshot snapshot = take_snapshot(gate_set("family7x"));
  const SnapshotDiff changes = diff(snapshot, snapshot);
  EXPECT_TRUE(changes.changes.empty());
  EXPECT_EQ(changes.compared, snapshot.rows.size());
}

TEST(SnapshotDiff, PrintsOneLinePerChangedRow) {
  const SnapshotDiff changes = diff(one_row("score.paged"), one_row("score.cublas_single"));
  ASSERT_EQ(changes.changes.size(), 1u);
  EXPECT_EQ(changes.changes[0].text, "case@7.5/score: capability 7.5: score.paged -> score.cublas_single");
  EXPECT_FALSE(changes.clean());
}

TEST(SnapshotDiff, AnExpectedChangeIsClean) {
  const SnapshotDiff changes =
      diff(one_row("score.paged"), one_row("score.cublas_single"), {"case@7.5/score"});
  EXPECT_TRUE(changes.clean());
  EXPECT_TRUE(contains(to_text(changes), "score.cublas_single (expected)\n"));
}

TEST(SnapshotDiff, ReportsExpectedRowsThatDidNotChange) {
  const SnapshotDiff changes = diff(one_row("score.paged"), one_row("score.paged"), {"case@7.5/score"});
  EXPECT_TRUE(changes.clean());
  EXPECT_TRUE(contains(to_text(changes), "case@7.5/score: expected to change, did not\n"));
}

TEST(SnapshotDiff, ShowsALayoutOnlyWhereTheRoutesAgree) {
  EXPECT_EQ(diff(one_row("a", "x"), one_row("a", "y")).changes.at(0).id, "case@7.5/layout");
  const SnapshotDiff routes_differ = diff(one_row("a", "x"), one_row("b", "y"));
  ASSERT_EQ(routes_differ.changes.size(), 1u);
  EXPECT_EQ(routes_differ.changes[0].id, "case@7.5/score");
}

TEST(SnapshotDiff, IgnoresReasonsOfRejections) {
  Snapshot other = one_row("score.paged");
  other.rows[0].rejected = {"another reason"};
  EXPECT_TRUE(diff(one_row("score.paged"), other).changes.empty());
}

TEST(SnapshotDiff, NamesRowsThatOneSideLacks) {
  const Snapshot empty{"s", "g", {}};
  EXPECT_EQ(diff(one_row("a"), empty).changes.at(0).text, "case@7.5: capability 7.5: present -> absent");
  EXPECT_EQ(diff(empty, one_row("a")).changes.at(0).text, "case@7.5: capability 7.5: absent -> present");
}

TEST(SnapshotDiff, AStageThatDisappearsIsAChange) {
  Snapshot without = one_row("a");
  without.rows[0].routes.erase("topk");
  EXPECT_EQ(diff(one_row("a"), without).changes.at(0).text,
            "case@7.5/topk: capability 7.5: topk.persistent -> absent");
}

TEST(ExpectedChanges, AreAListOfIds) {
  EXPECT_EQ(expected_from_json(R"(["a@7.5/score", "b@7.2/topk"])", "e.json"),
            (std::set<std::string>{"a@7.5/score", "b@7.2/topk"}));
  for (const char* text : {"", "{}", "[1]", "\"a\"", "[\"a\""}) {
    EXPECT_THROW(expected_from_json(text, "e.json"), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace plumbline::dispatch

#include "oracle/run/routes.h"

#include "fixtures/error.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

RoutesQuestion question(const std::string& gates) {
  RoutesQuestion ask;
  ask.case_text = "select:rows=1616,blocks=7250";
  ask.gates = gates;
  return ask;
}

class RoutesFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }
  TempDir directory_;
  std::filesystem::path root_ = directory_.path();
};

TEST(ExplainRoutes, ShowsWhatTheFamilyChangesOnTuring) {
  EXPECT_TRUE(contains(explain_routes(question("exact70")), "score: score.paged\n"));
  EXPECT_TRUE(contains(explain_routes(question("family7x")), "score: score.cublas_single\n"));
}

TEST(ExplainRoutes, TakesPolicyForceAndAttention) {
  RoutesQuestion ask = question("family7x");
  ask.policy = {"qsa_cublas_min_rows=2000"};
  ask.forced = {"topk.persistent"};
  ask.attention = "24x2";
  const std::string text = explain_routes(ask);
  EXPECT_TRUE(contains(text, "rows_below_min (observed 1616 rows, required >= 2000 (typed))"));
  EXPECT_TRUE(contains(text, "topk: topk.persistent  forced"));
  EXPECT_TRUE(contains(text, "attention: attention.direct"));
}

TEST(ExplainRoutes, RefusesBadInputWithOneLine) {
  const auto refused = [](auto change) {
    RoutesQuestion ask = question("family7x");
    change(ask);
    try {
      explain_routes(ask);
    } catch (const InputError& error) {
      return !std::string(error.what()).empty() && !contains(error.what(), "\n");
    }
    return false;
  };
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.capability = "seven"; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.gates = "all"; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.case_text = "nonsense"; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.forced = {"score.magic"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.forced = {"score.paged", "score.cublas_single"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.policy = {"qsa_cublas_min_rows"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.policy = {"qsa_cublas_min_rows=many"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.policy = {"unknown=1"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.policy = {"qsa_mtp_topk=2"}; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.attention = "24"; }));
  EXPECT_TRUE(refused([](RoutesQuestion& q) { q.attention = "0x2"; }));
}

TEST_F(RoutesFiles, ADiffIsCleanOnlyWithTheExpectedRows) {
  const std::string before = write("a.json", snapshot_routes("exact70"));
  const std::string after = write("b.json", snapshot_routes("family7x"));
  const RoutesDiff plain = diff_routes(before, after, "");
  EXPECT_FALSE(plain.clean);
  EXPECT_TRUE(contains(plain.text,
                       "prefill.rows_512@7.5/score: capability 7.5: score.paged -> score.cublas_single\n"));
  EXPECT_TRUE(diff_routes(before, before, "").clean);
}

TEST_F(RoutesFiles, AMissingOrForeignFileIsNamed) {
  const std::string good = write("a.json", snapshot_routes("exact70"));
  const std::string foreign = write("b.json", "{}");
  EXPECT_THROW(diff_routes(good, (root_ / "gone.json").string(), ""), InputError);
  EXPECT_THROW(diff_routes(good, root_.string(), ""), InputError);
  EXPECT_THROW(diff_routes(good, foreign, ""), InputError);
  EXPECT_THROW(diff_routes(good, good, foreign), InputError);
}

}  // namespace
}  // namespace plumbline

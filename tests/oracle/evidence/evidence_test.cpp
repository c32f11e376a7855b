#include "oracle/evidence/evidence.h"

#include "fixtures/error.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

std::string refusal(const Json& json) {
  try {
    evidence_from_json(json, "e.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Json& cell(Json& json, const std::string& path, const std::string& capability) {
  for (Json& one : json["cells"])
    if (one["path"] == path && one["capability"] == capability) return one;
  throw std::runtime_error("no such cell");
}

TEST(Evidence, IsReadBackAsItWasWritten) {
  const Json json = to_json(gpu_evidence());
  EXPECT_EQ(to_json(evidence_from_json(json, "e.json")), json);
}

TEST(Evidence, ARouteThatWasHitAndTimedIsMeasuredThere) {
  const EvidenceCell cell = cell_in(gpu_evidence().cells, "score.paged", "9.0");
  EXPECT_EQ(cell.level, Level::measured);
  EXPECT_EQ(cell.tags, 4);
  EXPECT_EQ(cell.seeds, std::vector<std::uint64_t>{9});
  EXPECT_EQ(cell.figures.size(), 2u);
}

TEST(Evidence, ARouteThatWasTimedAndNeverJudgedIsNotMeasured) {
  EXPECT_EQ(cell_in(gpu_evidence().cells, "topk.persistent", "9.0").level, Level::planned);
}

TEST(Evidence, FiguresOfAnotherCommitMeasureNothing) {
  Evidence evidence = gpu_evidence();
  evidence.figures_commit = "0123456789ab";
  EXPECT_EQ(cell_in(cells_of(evidence), "score.paged", "9.0").level, Level::executed);
}

TEST(Evidence, WhatRanOnOneCapabilityIsAPredictionOnAnother) {
  EXPECT_EQ(cell_in(gpu_evidence("9.0").cells, "topk.lexicographic", "7.5").level, Level::planned);
  EXPECT_EQ(cell_in(gpu_evidence("9.0").cells, "topk.lexicographic", "7.5").checks, 0);
}

TEST(Evidence, ACheckThatFailedExecutesNothing) {
  Evidence evidence = gpu_evidence();
  evidence.checks.back().status = Status::route_missed;
  const EvidenceCell cell = cell_in(cells_of(evidence), "score.paged", "9.0");
  EXPECT_EQ(cell.level, Level::planned);
  EXPECT_EQ(cell.checks, 1);
  EXPECT_EQ(cell.tags, 0);
}

TEST(Evidence, ACellThatClaimsMoreThanTheChecksShowIsRefused) {
  for (const char* level : {"executed", "measured"}) {
    Json json = to_json(gpu_evidence());
    cell(json, "score.cublas_single", "7.5")["level"] = level;
    EXPECT_NE(refusal(json).find("score.cublas_single on 7.5"), std::string::npos) << refusal(json);
  }
  Json json = to_json(gpu_evidence());
  cell(json, "score.paged", "9.0")["tags"] = 5;
  EXPECT_NE(refusal(json), "");
}

TEST(Evidence, ACellThatWasStruckIsMissed) {
  Json json = to_json(cpu_evidence());
  for (std::size_t i = 0; i < json["cells"].size(); ++i)
    if (json["cells"][i]["path"] == "cpu.golden") json["cells"].erase(i);
  EXPECT_NE(refusal(json).find("cpu.golden on cpu"), std::string::npos) << refusal(json);
}

TEST(Evidence, AnotherSchemaVersionAndUnknownFieldsAreRefused) {
  Json json = to_json(cpu_evidence());
  json["version"] = 2;
  EXPECT_EQ(refusal(json), "e.json: /version: expected 1, found 2");
  json = to_json(cpu_evidence());
  json["surprise"] = 1;
  EXPECT_EQ(refusal(json), "e.json: expected no other field, found surprise");
}

TEST(Evidence, OlderSummariesCanBePackedAndTheirHitsCount) {
  const Json report =
      Json::parse(std::ifstream(PLUMBLINE_SOURCE_DIR "/ci/evidence/2026-11-30-h200-routes.json"));
  const Json bench =
      Json::parse(std::ifstream(PLUMBLINE_SOURCE_DIR "/ci/evidence/2026-11-30-h200-bench-select.json"));
  const Evidence evidence = evidence_of({{"routes", report}, {"bench", bench}});
  EXPECT_EQ(evidence.counts().exit_code(), 0);
  EXPECT_EQ(evidence.counts().pass, 932);
  ASSERT_TRUE(evidence.device);
  EXPECT_EQ(evidence.device->name, "NVIDIA H200");
  EXPECT_EQ(evidence.device->driver, "580.159.04");
  EXPECT_EQ(evidence.device->cublas, "130100");
  EXPECT_EQ(evidence.tool.commit, "03a7a694b003");
  // The benchmark was another commit's.
  EXPECT_EQ(cell_in(evidence.cells, "score.cublas_single", "9.0").level, Level::executed);
  EXPECT_EQ(cell_in(evidence.cells, "score.cublas_single", "9.0").tags, 26154);
  EXPECT_EQ(to_json(evidence_from_json(to_json(evidence), "e")), to_json(evidence));
}

/// A report of verify with one check, to which `check` is added.
Json verify_with(const std::string& check) {
  Json report = Json::parse(R"({"command":"verify","machine":{"build":"0.1.0+5bc2bbf46d63","threads":2},
    "filter":"","seed_shift":0,"shard":null,"counts":{},"checks":[{"name":"split/score","kind":"split",
    "case":"x:seed=7","subject":"cpu-split","status":"PASS","expected":"PASS","reason":"","selections":[]}]})");
  report["checks"][0].update(Json::parse(check));
  return report;
}

void expect_extent(const std::string& check, std::int64_t rows, std::int64_t elements, std::int64_t beyond) {
  const EvidenceCheck found = evidence_of({{"r", verify_with(check)}}).checks.at(0);
  EXPECT_EQ(found.rows, rows) << check;
  EXPECT_EQ(found.elements, elements) << check;
  EXPECT_EQ(found.beyond, beyond) << check;
}

TEST(Evidence, CountsWhatEveryKindOfCheckJudged) {
  expect_extent(R"({"selections":[{"rows":3},{"rows":4}],"proof":{"rows":9}})", 9, 0, 0);
  expect_extent(R"({"indexer":{"rows":6,"error_model":"m","scores":{"compared":9,"beyond":1}}})", 6, 9, 1);
  expect_extent(
      R"({"replay":{"operations":[{"elements":5,"beyond_bound":1},{"elements":6,"beyond_bound":2}]}})", 0, 11,
      3);
  expect_extent(R"({"attention":[{"rows":2,"output":{"elements":8,"beyond_bound":1},
                    "lse":{"elements":4,"beyond_bound":0}},{"rows":2,"output":null,"lse":null}]})",
                4, 12, 1);
  expect_extent(R"({"split":{"numbers":[{"results":7,"beyond_bound":0},{"results":8,"beyond_bound":2}]}})", 0,
                15, 2);
  expect_extent(R"({"ranks":[{"elements":5,"beyond_bound":0},{"elements":5,"beyond_bound":1}]})", 0, 10, 1);
}

TEST(Evidence, KnowsTheSeedOfAnyCaseText) {
  EXPECT_EQ(cell_in(evidence_of({{"r", verify_with("{}")}}).cells, "cpu.split", "cpu").seeds,
            std::vector<std::uint64_t>{7});
}

TEST(Evidence, ADevicesAttentionCountsForTheRouteItWasForcedTo) {
  Json report = verify_with(R"({"name":"cuda/attention/random/attention.splitk@8"})");
  report["device"] = {{"name", "Example GPU"}, {"capability", "9.0"}, {"witnesses", nullptr}};
  EXPECT_EQ(cell_in(evidence_of({{"r", report}}).cells, "attention.splitk", "9.0").level, Level::executed);
  report["checks"][0]["name"] = "cuda/attention/random/attention.planned";
  report["checks"][0]["hits"] = {{{"route", "attention.direct"}, {"tags", 2}, {"records", 2}}};
  EXPECT_EQ(cell_in(evidence_of({{"r", report}}).cells, "attention.direct", "9.0").tags, 2);
}

TEST(Evidence, AForeignKernelIsAPathOfItsOwnAndMutantsAreNone) {
  Json plugin = verify_with(R"({"name":"select/ties"})");
  plugin["command"] = "plugin";
  plugin["plugin"] = "libmine.so";
  const Evidence evidence = evidence_of(
      {{"r", verify_with("{}")}, {"p", plugin}, {"m", Json::parse(R"({"command":"mutants","killed":3})")}});
  EXPECT_EQ(cell_in(evidence.cells, "plugin.libmine", "cpu").passed, 1);
  EXPECT_EQ(evidence.checks.at(0).name, "plugin/libmine/select/ties");
  EXPECT_EQ(evidence.counts().pass, 2);
}

TEST(Evidence, KeepsTheOrderInWhichBlackBoxesAdd) {
  const Json probe =
      Json::parse(R"({"command":"probe","probes":[{"box":"a","fingerprint":"1f00"},{"box":"b"}]})");
  const std::map<std::string, std::string> orders =
      evidence_of({{"r", verify_with("{}")}, {"p", probe}}).orders;
  EXPECT_EQ(orders, (std::map<std::string, std::string>{{"a", "1f00"}, {"b", "no fixed order"}}));
}

Json attention_bench() {
  return Json::parse(R"({"command":"bench attention","machine":{"build":"0.1.0+5bc2bbf46d63"},
    "samples":[{"scene":"s","status":"PASS"}],
    "scenes":[{"tokens":29000,"pattern":"random","checks":[{"name":"c","status":"PASS"}],
    "stages":[{"arm":"split","stage":"attend","route":"attention.splitk","median_ms":2,"min_ms":1,"max_ms":3}]}]})");
}

TEST(Evidence, TimesOfAttentionMeasureItsRoutes) {
  Json report = verify_with(R"({"name":"cuda/attention/random/attention.splitk@8"})");
  report["device"] = {{"name", "Example GPU"}, {"capability", "9.0"}, {"witnesses", nullptr}};
  const EvidenceCell cell =
      cell_in(evidence_of({{"r", report}, {"b", attention_bench()}}).cells, "attention.splitk", "9.0");
  EXPECT_EQ(cell.level, Level::measured);
  EXPECT_EQ(cell.figures, std::vector<std::string>{"split attend, 29000 tokens, random"});
}

TEST(Evidence, RefusesTimesOfWrongAnswersAndOfSeveralCommits) {
  Json wrong = attention_bench();
  wrong["samples"][0]["status"] = "FAIL";
  EXPECT_THROW(evidence_of({{"r", verify_with("{}")}, {"b", wrong}}), InputError);
  Json older = attention_bench();
  older["machine"]["build"] = "0.1.0+0123456789ab";
  EXPECT_THROW(evidence_of({{"r", verify_with("{}")}, {"a", attention_bench()}, {"b", older}}), InputError);
}

TEST(Evidence, NeedsAReportOfVerify) {
  EXPECT_THROW(evidence_of({{"x", Json::parse(R"({"command":"select"})")}}), InputError);
}

RC_GTEST_PROP(Evidence, AnyChangedValueIsReadOrRefusedInOneLine, ()) {
  Json json = to_json(gpu_evidence());
  Json* at = &json;
  while (at->is_structured() && !at->empty() && (at == &json || *rc::gen::inRange(0, 4) > 0)) {
    const auto index = *rc::gen::inRange<std::size_t>(0, at->size());
    at = &std::next(at->begin(), static_cast<std::ptrdiff_t>(index)).value();
  }
  const std::vector<Json> others = {nullptr,
                                    -1,
                                    1e300,
                                    "",
                                    std::string(70000, 'x'),
                                    Json::array({Json::object()}),
                                    Json::object({{"x", 1}}),
                                    true,
                                    "\x1b[31m\n"};
  *at = others[*rc::gen::inRange<std::size_t>(0, others.size())];
  RC_ASSERT(refusal(json).find('\n') == std::string::npos);
}

}  // namespace
}  // namespace plumbline

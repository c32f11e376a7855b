#include "oracle/report/markdown.h"
#include "oracle/report/report_json.h"
#include "tests/oracle/cli/run_program.h"
#include "tests/oracle/report/report_schema.h"
#include "tests/oracle/report/well_formed_xml.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class VerifyCommand : public ProgramTest {
 protected:
  // A folder of captures with one golden and a manifest that speaks of `listed`.
  std::string fixtures(const std::string& listed, const std::string& sha256, const std::string& more = "") {
    std::filesystem::create_directories(path("captures"));
    std::filesystem::copy_file(golden("select_near_budget_bf16.h5"), path("captures/near.h5"));
    std::ofstream(path("captures/manifest.json"))
        << R"({"schema":1,"files":{")" << listed << R"(":{"sha256":")" << sha256
        << R"(","bytes":432474,"provenance":"test")" << more << "}}}";
    return path("captures");
  }
  ProgramRun verify(const std::string& folder) {
    return run({"verify", "--fixtures", folder, "--filter", "^golden/"});
  }
  const std::string right_ = "b7ead6549a1aeecf79d8b44d4270bafed9bc91a0f228bcefb16d31f0ef6aceda";
};

TEST_F(VerifyCommand, PassesACaptureThatIsTheOneItsManifestSpeaksOf) {
  const ProgramRun result = verify(fixtures("near.h5", right_));
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_NE(result.out.find("\nverified: 1 PASS\n"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, ACaptureThatChangedIsAnError) {
  const ProgramRun result = verify(fixtures("near.h5", std::string(64, '0')));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("ERROR golden/near: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("found " + right_), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, ACaptureOfAnotherSizeIsAnErrorThatNamesBoth) {
  const std::string folder = fixtures("near.h5", right_);
  std::filesystem::resize_file(folder + "/near.h5", 1000);
  const ProgramRun result = verify(folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("expected 432474 bytes, found 1000"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, ACaptureThatIsMissingIsAnErrorAndOneNotListedIsJudgedAllTheSame) {
  const ProgramRun result = verify(fixtures("gone.h5", right_));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("\nNOT VERIFIED: 1 PASS, 1 ERROR\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("golden/near: not in the manifest"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, ADeclarationThatNothingCanBeTestedMustHold) {
  const ProgramRun result = verify(fixtures("near.h5", right_, R"(,"expect":"VACUOUS")"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("out of date"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, AFailureCannotBeDeclaredAway) {
  const ProgramRun result = verify(fixtures("near.h5", right_, R"(,"expect":"FAIL")"));
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
}

TEST_F(VerifyCommand, RefusesAFolderWithoutCaptures) {
  const ProgramRun result = verify(path("."));
  EXPECT_EQ(result.exit_code, 2);
  expect_one_line(result.err);
}

TEST_F(VerifyCommand, ADamagedCaptureInTheFolderIsAnErrorAmongTheOthers) {
  const std::string folder = fixtures("near.h5", right_);
  std::ofstream(folder + "/broken.h5") << "no HDF5";
  const ProgramRun result = verify(folder);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("NOT VERIFIED: 1 PASS, 1 ERROR"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, ReportsTheSameRunInEveryForm) {
  const ProgramRun result = run({"verify", "--filter", "near_budget|tiny_short|ties$|cuda", "--json",
                                 path("r.json"), "--junit", path("r.xml"), "--markdown", path("r.md")});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const Json report = Json::parse(text_of(path("r.json")));
  EXPECT_EQ(schema_fault(report), "");
  EXPECT_EQ(fault_in_xml(text_of(path("r.xml"))), "");
  EXPECT_EQ(text_of(path("r.md")), markdown_from_json(report));
  EXPECT_EQ(report["not_executed"].size(), 1u);
  EXPECT_EQ(report["counts"]["VACUOUS_DECLARED"], 1);
}

TEST_F(VerifyCommand, OfADeviceThatIsNotThereIsNoPass) {
  const ProgramRun result = run({"verify", "--filter", "^cuda$"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("NOTHING EXECUTED: 1 NOT_EXECUTED"), std::string::npos) << result.out;
}

TEST_F(VerifyCommand, AFilterThatMatchesNothingIsNoPass) {
  EXPECT_EQ(run({"verify", "--filter", "no such check"}).exit_code, 3);
}

TEST_F(VerifyCommand, ShiftsDataSeedsAndSaysSoInTheCase) {
  const ProgramRun plain = run({"verify", "--list", "--filter", "^generated/relu$"});
  const ProgramRun shifted = run({"verify", "--list", "--filter", "^generated/relu$", "--seed", "40"});
  EXPECT_EQ(plain.out.find(",seed="), std::string::npos) << plain.out;
  EXPECT_NE(shifted.out.find(",seed=41"), std::string::npos) << shifted.out;
}

TEST_F(VerifyCommand, WritesNoColourIntoAPipe) {
  EXPECT_EQ(run({"verify", "--filter", "near_budget"}).out.find('\x1b'), std::string::npos);
}

TEST_F(VerifyCommand, GivesTheSameReportForAnyNumberOfThreads) {
  const auto selections = [&](const char* threads) {
    const ProgramRun result =
        run({"verify", "--filter", "golden/select_n|/ties$", "--threads", threads, "--json", "-"});
    Json checks = Json::parse(result.out).at("checks");
    for (Json& check : checks) check.erase("seconds");
    return checks.dump();
  };
  EXPECT_EQ(selections("1"), selections("3"));
}

TEST_F(VerifyCommand, AnUnknownCommandIsNamed) {
  EXPECT_EQ(run({"attend"}).err, "plumbline: unknown command 'attend' (try plumbline --help)\n");
}

class Usage : public ProgramTest, public ::testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(Usage, IsRefusedInOneLine) {
  const ProgramRun result = run(GetParam());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  expect_one_line(result.err);
}

INSTANTIATE_TEST_SUITE_P(
    OfTheProgram, Usage,
    ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"attention"},
                      std::vector<std::string>{"verify", "--no-such-option"},
                      std::vector<std::string>{"verify", "--filter", "("},
                      std::vector<std::string>{"verify", "--threads", "0"},
                      std::vector<std::string>{"verify", "--seed", "minus one"},
                      std::vector<std::string>{"verify", "--seed", "-1"},
                      std::vector<std::string>{"verify", "--seed", "18446744073709551616"},
                      std::vector<std::string>{"verify", "--fixtures", "/nonexistent"},
                      std::vector<std::string>{"verify", "--json", "-", "--junit", "-"},
                      std::vector<std::string>{"select"},
                      std::vector<std::string>{"select", "/nonexistent.h5"},
                      std::vector<std::string>{"select", "x.h5", "--contract", "roughly"},
                      std::vector<std::string>{"info", "/nonexistent.h5"},
                      std::vector<std::string>{"generate"},
                      std::vector<std::string>{"generate", "select:data=no_such_family", "-o", "/tmp/x.h5"},
                      std::vector<std::string>{"generate", "select:rows=64", "-o", "/nonexistent/x.h5"},
                      std::vector<std::string>{"bench"},
                      std::vector<std::string>{"bench", "select", "--case", "select:rows=0"},
                      std::vector<std::string>{"bench", "select", "--case", "paged:rows=64"},
                      std::vector<std::string>{"bench", "select", "--device", "gpu"},
                      std::vector<std::string>{"bench", "select", "--device", "cuda:-1"},
                      std::vector<std::string>{"bench", "select", "--context", "29000"},
                      std::vector<std::string>{"bench", "select", "--device", "cuda:0", "--rows", "0"}));

}  // namespace
}  // namespace plumbline

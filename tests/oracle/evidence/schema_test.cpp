#include "oracle/evidence/evidence_folder.h"
#include "oracle/report/output_file.h"
#include "oracle/run/repro.h"
#include "tests/fixtures/capture/temp_dir.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace plumbline {
namespace {

/// Validation by a library that shares nothing with the reader here: Debian's python3-jsonschema.
class PublishedSchema : public ::testing::Test {
 protected:
  // 0: valid, 1: not; anything else: nobody looked.
  int validate(const std::string& schema, const Json& json) const {
    const std::string file = directory_.file("instance.json");
    OutputFile(file).write(to_text(json));
    return validate_file(schema, file);
  }
  int validate_file(const std::string& schema, const std::string& file) const {
    const std::string script = PLUMBLINE_SOURCE_DIR "/ci/validate-json";
    const std::string line = shell_quoted(script) + " " +
                             shell_quoted(PLUMBLINE_SOURCE_DIR "/oracle/evidence/" + schema) + " " +
                             shell_quoted(file) + " >/dev/null 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  TempDir directory_;
};

TEST_F(PublishedSchema, HoldsForEvidenceOfACpuAndOfADevice) {
  EXPECT_EQ(validate("evidence.schema.json", to_json(cpu_evidence())), 0);
  EXPECT_EQ(validate("evidence.schema.json", to_json(gpu_evidence())), 0);
}

TEST_F(PublishedSchema, RefusesEvidenceThatClaimsAnExecutionWithoutACheck) {
  Json json = to_json(cpu_evidence());
  json["cells"][0]["level"] = "executed";
  EXPECT_EQ(validate("evidence.schema.json", json), 1);
}

TEST_F(PublishedSchema, RefusesEvidenceWithAFieldLeftOut) {
  const Json whole = to_json(cpu_evidence());
  Json json = whole;
  json.erase("device");
  EXPECT_EQ(validate("evidence.schema.json", json), 1);
  json = whole;
  json["checks"][0].erase("status");
  EXPECT_EQ(validate("evidence.schema.json", json), 1);
}

TEST_F(PublishedSchema, HoldsForThePolicyHere) {
  EXPECT_EQ(validate_file("policy.schema.json", PLUMBLINE_SOURCE_DIR "/ci/policy.json"), 0);
  EXPECT_FALSE(read_policy(PLUMBLINE_SOURCE_DIR "/ci/policy.json").demands_nothing());
}

TEST_F(PublishedSchema, RefusesAPolicyWhoseFailuresAreKnownForEver) {
  Json json = Json::parse(std::ifstream(PLUMBLINE_SOURCE_DIR "/ci/policy.json"));
  json["known_failures"] = Json::parse(R"([{"check":"a","capability":"cpu","status":"FAIL","reason":"b"}])");
  EXPECT_EQ(validate("policy.schema.json", json), 1);
}

}  // namespace
}  // namespace plumbline

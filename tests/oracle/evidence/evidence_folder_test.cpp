#include "oracle/evidence/evidence_folder.h"

#include "fixtures/error.h"
#include "oracle/evidence/cells.h"
#include "oracle/evidence/manifest.h"
#include "tests/fixtures/capture/temp_dir.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

Json small_report() {
  return Json::parse(R"({"command":"verify","machine":{"build":"0.1.0+5bc2bbf46d63","threads":2},"filter":"",
    "seed_shift":0,"shard":null,"counts":{},"checks":[{"name":"generated/ties","kind":"generated",
    "case":"select:data=ties,seed=7","subject":"reference","status":"PASS","expected":"PASS","reason":"",
    "selections":[]}]})");
}

std::string bytes_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class EvidenceFolder : public ::testing::Test {
 protected:
  bool refused() const {
    try {
      read_evidence(folder_);
    } catch (const InputError&) {
      return true;
    }
    return false;
  }
  TempDir directory_;
  std::string folder_ = directory_.file("run");
};

TEST_F(EvidenceFolder, IsRefusedWhereAnyByteOfAnyFileChanged) {
  // Without the plans of the whole matrix, so that there are few bytes.
  Evidence evidence = cpu_evidence();
  CellTable table;
  for (const EvidenceCheck& check : evidence.checks) table.add(check);
  evidence.cells = table.cells();
  write_evidence_folder(
      folder_, {{"evidence.json", to_text(to_json(evidence))}, {"report.json", to_text(small_report())}});
  ASSERT_FALSE(refused());
  std::size_t flipped = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string whole = bytes_of(entry.path());
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t at, char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    for (std::size_t at = 0; at < whole.size(); ++at, ++flipped) {
      put(at, static_cast<char>(whole[at] ^ 0xff));
      ASSERT_TRUE(refused()) << entry.path().filename() << ", byte " << at;
      put(at, whole[at]);
    }
  }
  EXPECT_GT(flipped, 2000u);
  EXPECT_FALSE(refused());
}

TEST_F(EvidenceFolder, WithoutReportsHoldsTheEvidenceAlone) {
  write_evidence(folder_, {{"report.json", small_report()}}, false);
  EXPECT_FALSE(fs::exists(folder_ + "/report.json"));
  EXPECT_EQ(read_evidence(folder_).counts().pass, 1);
  EXPECT_TRUE(read_evidence_reports(folder_).empty());
}

}  // namespace
}  // namespace plumbline

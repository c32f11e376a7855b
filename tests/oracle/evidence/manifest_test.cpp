#include "oracle/evidence/manifest.h"

#include "fixtures/error.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class Manifest : public ::testing::Test {
 protected:
  void SetUp() override { write_evidence_folder(folder_, {{"a.json", "{}\n"}, {"b.json", "[1, 2]\n"}}); }
  std::string text(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ + "/" + name, std::ios::binary).rdbuf();
    return out.str();
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
  }
  std::string refusal() const {
    try {
      verify_evidence_folder(folder_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TempDir directory_;
  std::string folder_ = directory_.file("evidence");
};

TEST_F(Manifest, HoldsForAFolderAsItWasWritten) {
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(verify_evidence_folder(folder_).files, 2u);
}

TEST_F(Manifest, ShowsAChangeOfAnyBitOfAnyFileItsOwnToo) {
  for (const char* name : {"a.json", "b.json", kManifestFile}) {
    const std::string whole = text(name);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
        write(name, changed);
        ASSERT_NE(refusal(), "") << name << " byte " << at << " bit " << bit;
      }
    write(name, whole);
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(Manifest, ShowsACutOrLengthenedFile) {
  for (const char* name : {"a.json", kManifestFile}) {
    const std::string whole = text(name);
    write(name, whole + "\n");
    EXPECT_NE(refusal(), "");
    write(name, whole.substr(0, whole.size() - 1));
    EXPECT_NE(refusal(), "");
    write(name, whole);
  }
}

TEST_F(Manifest, NamesAFileThatWasAdded) {
  write("c.json", "{}");
  EXPECT_NE(refusal().find("c.json: expected no such file"), std::string::npos) << refusal();
}

TEST_F(Manifest, NamesAFileThatWasRemoved) {
  fs::remove(folder_ + "/a.json");
  EXPECT_NE(refusal().find("a.json: expected the file, found none"), std::string::npos) << refusal();
}

TEST_F(Manifest, ShowsAFileThatWasRenamed) {
  fs::rename(folder_ + "/a.json", folder_ + "/c.json");
  EXPECT_NE(refusal(), "");
}

TEST_F(Manifest, RefusesALinkInPlaceOfAFileOfTheSameBytes) {
  fs::rename(folder_ + "/a.json", directory_.file("elsewhere"));
  fs::create_symlink(directory_.file("elsewhere"), folder_ + "/a.json");
  EXPECT_NE(refusal().find("expected a plain file"), std::string::npos) << refusal();
}

TEST_F(Manifest, RefusesAFolderWithin) {
  fs::create_directory(folder_ + "/more");
  EXPECT_NE(refusal(), "");
}

TEST_F(Manifest, RefusesAFolderWithoutOne) {
  fs::remove(folder_ + "/" + kManifestFile);
  EXPECT_NE(refusal(), "");
}

TEST_F(Manifest, ItsOwnDigestShowsAManifestThatWasMadeToFit) {
  const std::string kept = verify_evidence_folder(folder_).manifest;
  fs::remove_all(folder_);
  write_evidence_folder(folder_, {{"a.json", "{ }\n"}, {"b.json", "[1, 2]\n"}});
  EXPECT_NE(verify_evidence_folder(folder_).manifest, kept);
}

TEST_F(Manifest, IsNotWrittenOverWhatIsThere) {
  EXPECT_THROW(write_evidence_folder(folder_, {{"a.json", "{}"}}), InputError);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Manifest, LeavesNothingBehindWhereAFileCannotBeWritten) {
  EXPECT_THROW(write_evidence_folder(directory_.file("new"), {{"no/such/place", ""}}), InputError);
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder_).parent_path()))
    EXPECT_EQ(entry.path(), folder_);
}

}  // namespace
}  // namespace plumbline

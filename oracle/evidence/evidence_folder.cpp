#include "oracle/evidence/evidence_folder.h"

#include "fixtures/error.h"
#include "oracle/evidence/json_fields.h"
#include "oracle/evidence/manifest.h"

#include <filesystem>
#include <map>
#include <set>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvidenceFile = "evidence.json";

}  // namespace

void write_evidence(const std::string& folder, const std::vector<std::pair<std::string, Json>>& reports,
                    bool keep_reports) {
  std::map<std::string, std::string> files;
  for (const auto& [path, report] : reports) {
    const std::string name = fs::path(path).filename().string();
    if (name.empty() || name == kEvidenceFile || name == kManifestFile ||
        !files.emplace(name, to_text(report)).second)
      throw InputError(path, "", "reports of different names, none of them evidence.json or manifest.json",
                       name);
  }
  if (!keep_reports) files.clear();
  files[kEvidenceFile] = to_text(to_json(evidence_of(reports)));
  write_evidence_folder(folder, files);
}

Evidence read_evidence(const std::string& folder) {
  verify_evidence_folder(folder);
  const std::string path = (fs::path(folder) / kEvidenceFile).string();
  return evidence_from_json(read_json_file(path), path);
}

std::vector<Json> read_evidence_reports(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string();
        name != kEvidenceFile && name != kManifestFile)
      names.insert(name);
  std::vector<Json> reports;
  for (const std::string& name : names) reports.push_back(read_json_file((fs::path(folder) / name).string()));
  return reports;
}

}  // namespace plumbline

#include "oracle/evidence/evidence_folder.h"

#include "fixtures/error.h"
#include "oracle/evidence/json_fields.h"
#include "oracle/evidence/manifest.h"

#include <filesystem>
#include <map>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvidenceFile = "evidence.json";

}  // namespace

void write_evidence(const std::string& folder, const std::vector<std::pair<std::string, Json>>& reports) {
  std::map<std::string, std::string> files;
  for (const auto& [path, report] : reports) {
    const std::string name = fs::path(path).filename().string();
    if (name.empty() || name == kEvidenceFile || name == kManifestFile ||
        !files.emplace(name, to_text(report)).second)
      throw InputError(path, "", "reports of different names, none of them evidence.json or manifest.json",
                       name);
  }
  files[kEvidenceFile] = to_text(to_json(evidence_of(reports)));
  write_evidence_folder(folder, files);
}

Evidence read_evidence(const std::string& folder) {
  verify_evidence_folder(folder);
  const std::string path = (fs::path(folder) / kEvidenceFile).string();
  return evidence_from_json(read_json_file(path), path);
}

Json read_evidence_report(const std::string& folder, const std::string& name) {
  const std::string path = (fs::path(folder) / name).string();
  std::error_code error;
  return fs::exists(path, error) ? read_json_file(path) : Json(nullptr);
}

}  // namespace plumbline

#pragma once

#include "oracle/report/report_json.h"

#include <map>
#include <string>

namespace plumbline {

/// A folder of evidence: files and `manifest.json`, which names every other with size and SHA-256. The
/// manifest is written in one way only, so that a change of any byte, its own too, shows. It is
/// tamper-evident, not signed: whoever can write the folder can write a manifest that fits. What must not
/// change is the digest of the manifest itself (FolderDigest::manifest), to be kept somewhere else.
inline constexpr const char* kManifestFile = "manifest.json";

/// Throws InputError where a folder of this name cannot be made.
void expect_free(const std::string& folder);

/// Writes `files` (name → text) and their manifest into `folder`, whole or not at all: into a folder of
/// another name that is renamed. Throws InputError where `folder` is there already, or cannot be made.
void write_evidence_folder(const std::string& folder, const std::map<std::string, std::string>& files);

struct FolderDigest {
  std::string manifest;  ///< SHA-256 of manifest.json
  std::size_t files = 0;
};
/// Throws InputError that names the first file that was changed, added, removed or renamed, or is no plain
/// file.
FolderDigest verify_evidence_folder(const std::string& folder);

}  // namespace plumbline

#include "oracle/evidence/manifest.h"

#include "fixtures/error.h"
#include "fixtures/sha256.h"
#include "oracle/evidence/json_fields.h"
#include "oracle/report/output_file.h"

#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::int64_t bytes = 0;
  std::string sha256;
};
using Entries = std::map<std::string, Entry>;

std::string digest_of(const std::string& text) { return sha256_of(std::as_bytes(std::span(text))); }

std::string manifest_text(const Entries& entries) {
  Json json = {{"schema", "plumbline-evidence-manifest"},
               {"version", 1},
               {"note", "Tamper-evident, not signed: keep this file's own SHA-256 somewhere else."},
               {"files", Json::object()}};
  for (const auto& [name, entry] : entries)
    json["files"][name] = {{"bytes", entry.bytes}, {"sha256", entry.sha256}};
  return to_text(json);
}

std::string whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw InputError(path.string(), "", "a readable file", "none");
  return text.str();
}

Entries entries_in(const std::string& folder) {
  Entries entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (at->symlink_status().type() != fs::file_type::regular)
      throw InputError(at->path().string(), "", "a plain file", "something else");
    if (name != kManifestFile)
      entries[name] = {static_cast<std::int64_t>(at->file_size()), sha256_of_file(at->path().string())};
  }
  if (error) throw InputError(folder, "", "a folder of evidence", error.message());
  return entries;
}

// Which file it is, as far as the manifest can still be read.
[[noreturn]] void tell_difference(const std::string& path, const std::string& text, const Entries& found) {
  const Json json = parse_json(text, path);
  JsonFields fields(json, path);
  fields.expect_schema("plumbline-evidence-manifest", 1);
  fields.object("files", [&](JsonFields& files) {
    for (const auto& [name, value] : json.at("files").items()) {
      const auto at = found.find(name);
      if (at == found.end()) throw InputError(path, name, "the file", "none: removed or renamed");
      files.object(name.c_str(), [&](JsonFields& entry) {
        if (const std::int64_t bytes = entry.count("bytes"); bytes != at->second.bytes)
          throw InputError(path, name, fmt::format("{} bytes", bytes), fmt::format("{}", at->second.bytes));
        if (const std::string sha256 = entry.sha256("sha256"); sha256 != at->second.sha256)
          throw InputError(path, name, "SHA-256 " + sha256, at->second.sha256 + ": changed");
      });
    }
    for (const auto& [name, entry] : found)
      if (!json.at("files").contains(name))
        throw InputError(path, name, "no such file", "one: added or renamed");
  });
  throw InputError(path, "", "the manifest as it was written", "another text of the same meaning");
}

}  // namespace

void expect_free(const std::string& folder) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    throw InputError(folder, "", "a name that is free, for the folder of evidence", "something there");
  const fs::path parent = fs::absolute(folder, error).parent_path();
  if (!fs::is_directory(parent, error)) throw InputError(folder, "", "a folder to make it in", "none");
}

void write_evidence_folder(const std::string& folder, const std::map<std::string, std::string>& files) {
  expect_free(folder);
  std::error_code error;
  // "out/" is "out".
  const fs::path place = fs::path(folder).has_filename() ? fs::path(folder) : fs::path(folder).parent_path();
  const fs::path temporary = place.string() + ".tmp" + std::to_string(::getpid());
  if (!fs::create_directory(temporary, error))
    throw InputError(folder, "", "a folder that can be made", error.message());
  try {
    Entries entries;
    for (const auto& [name, text] : files) {
      OutputFile((temporary / name).string()).write(text);
      entries[name] = {static_cast<std::int64_t>(text.size()), digest_of(text)};
    }
    OutputFile((temporary / kManifestFile).string()).write(manifest_text(entries));
    fs::rename(temporary, place);
  } catch (const fs::filesystem_error& failed) {
    fs::remove_all(temporary, error);
    throw InputError(folder, "", "a folder that can be made", failed.code().message());
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
}

FolderDigest verify_evidence_folder(const std::string& folder) {
  const Entries found = entries_in(folder);
  const std::string path = (fs::path(folder) / kManifestFile).string();
  const std::string text = whole(path);
  if (text != manifest_text(found)) tell_difference(path, text, found);
  return {digest_of(text), found.size()};
}

}  // namespace plumbline

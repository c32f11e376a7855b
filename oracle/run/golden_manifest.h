#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace plumbline {

/// What fixtures/golden/manifest.json says of one capture.
struct GoldenEntry {
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  std::int64_t bytes = 0;
  std::string provenance;       ///< engine, versions, device
  bool expect_vacuous = false;  ///< "expect": "VACUOUS": too short to select
};

/// File name (without folder) to entry.
using GoldenManifest = std::map<std::string, GoldenEntry>;

/// {"schema": 1, "files": {NAME: {"sha256", "bytes", "provenance", "about"?, "expect"?}}}. `expect` is PASS
/// (the default) or VACUOUS; nothing else can be declared away. Throws InputError.
GoldenManifest read_manifest(const std::string& path);

}  // namespace plumbline

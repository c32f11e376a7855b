#include "oracle/run/golden_manifest.h"

#include "fixtures/error.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

using nlohmann::json;

class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path) : path_(path) {}

  GoldenManifest read() const {
    std::ifstream file(path_);
    if (!file) throw InputError(path_, "", "a readable manifest", std::strerror(errno));
    const json root = json::parse(file, nullptr, false);
    if (root.is_discarded() || !root.is_object())
      throw InputError(path_, "", "a JSON object", "something else");
    if (root.value("schema", json()) != 1)
      throw InputError(path_, "schema", "1", root.value("schema", json()).dump());
    GoldenManifest manifest;
    for (const auto& [name, entry] : field(root, "", "files", json::value_t::object).items())
      manifest.emplace(name, read_entry(name, entry));
    return manifest;
  }

 private:
  const json& field(const json& object, const std::string& where, const char* name,
                    json::value_t type) const {
    const std::string place = where.empty() ? name : where + "." + name;
    if (!object.is_object() || !object.contains(name)) throw InputError(path_, place, "an entry", "none");
    const json& value = object.at(name);
    if (value.type() != type) throw InputError(path_, place, json(type).type_name(), value.type_name());
    return value;
  }

  GoldenEntry read_entry(const std::string& name, const json& entry) const {
    GoldenEntry golden;
    golden.sha256 = field(entry, name, "sha256", json::value_t::string).get<std::string>();
    if (golden.sha256.size() != 64 ||
        golden.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw InputError(path_, name + ".sha256", "64 lower-case hexadecimal digits", golden.sha256);
    golden.bytes = field(entry, name, "bytes", json::value_t::number_unsigned).get<std::int64_t>();
    golden.provenance = field(entry, name, "provenance", json::value_t::string).get<std::string>();
    if (!entry.contains("expect")) return golden;
    const std::string expect = field(entry, name, "expect", json::value_t::string).get<std::string>();
    if (expect != "PASS" && expect != "VACUOUS")
      throw InputError(path_, name + ".expect", "PASS or VACUOUS", expect);
    golden.expect_vacuous = expect == "VACUOUS";
    return golden;
  }

  std::string path_;
};

}  // namespace

GoldenManifest read_manifest(const std::string& path) { return ManifestReader(path).read(); }

}  // namespace plumbline

#include "oracle/evidence/json_fields.h"

#include "fixtures/capture/utf8.h"
#include "fixtures/error.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kMostText = 64 << 10;
constexpr std::uintmax_t kMostBytes = 256u << 20;
constexpr int kDeepest = 64;
constexpr double kMostCount = 9007199254740992.0;

}  // namespace

JsonFields::JsonFields(const Json& json, std::string file, std::string where)
    : json_(json), file_(std::move(file)), where_(std::move(where)) {
  if (!json_.is_object()) throw InputError(file_, where_, "an object", json_.type_name());
}

void JsonFields::refuse(const char* name, const std::string& expected, const std::string& found) const {
  throw InputError(file_, place(name), expected, printable(found, 200));
}

const Json& JsonFields::get(const char* name, const char* expected, bool (Json::*right)() const noexcept) {
  const auto at = json_.find(name);
  if (at == json_.end()) refuse(name, expected, "nothing");
  if (!((*at).*right)()) refuse(name, expected, at->type_name());
  read_.insert(name);
  return *at;
}

std::string JsonFields::text(const char* name) {
  auto text = get(name, "a text", &Json::is_string).get<std::string>();
  if (text.size() > kMostText) refuse(name, "a text of at most 64 KiB", fmt::format("{} bytes", text.size()));
  return text;
}

std::string JsonFields::text_or_null(const char* name) {
  if (has(name) && json_.at(name).is_null()) {
    read_.insert(name);
    return "";
  }
  return text(name);
}

double JsonFields::number(const char* name) {
  const auto value = get(name, "a number", &Json::is_number).get<double>();
  if (!std::isfinite(value)) refuse(name, "a finite number", "another");
  return value;
}

std::int64_t JsonFields::count(const char* name) {
  const Json& value = get(name, "a count", &Json::is_number_integer);
  const auto as_double = value.get<double>();
  if (as_double < 0 || as_double > kMostCount) refuse(name, "a count of 0 to 2^53", value.dump());
  return value.get<std::int64_t>();
}

void JsonFields::number_64(const char* name, std::uint64_t& value) {
  get(name, "a number of 0 to 2^64 - 1", &Json::is_number_unsigned).get_to(value);
}

void JsonFields::numbers(const char* name, std::vector<std::uint64_t>& values) {
  for (const Json& one : get(name, "a list of numbers", &Json::is_array)) {
    if (!one.is_number_unsigned()) refuse(name, "a list of numbers of 0 to 2^64 - 1", one.type_name());
    values.push_back(one.get<std::uint64_t>());
  }
}

bool JsonFields::boolean(const char* name) {
  return get(name, "true or false", &Json::is_boolean).get<bool>();
}

std::string JsonFields::sha256(const char* name) {
  const std::string digest = text(name);
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(name, "64 lower-case hexadecimal digits", digest);
  return digest;
}

std::vector<std::string> JsonFields::texts(const char* name) {
  std::vector<std::string> texts;
  for (const Json& one : get(name, "a list of texts", &Json::is_array)) {
    if (!one.is_string()) refuse(name, "a list of texts", one.type_name());
    texts.push_back(one.get<std::string>());
    if (texts.back().size() > kMostText) refuse(name, "texts of at most 64 KiB", "a longer one");
  }
  return texts;
}

void JsonFields::each(const char* name, const std::function<void(JsonFields&)>& read) {
  std::size_t number = 0;
  for (const Json& one : get(name, "a list of objects", &Json::is_array)) {
    JsonFields fields(one, file_, fmt::format("{}/{}", place(name), number++));
    read(fields);
    fields.finish();
  }
}

void JsonFields::object(const char* name, const std::function<void(JsonFields&)>& read) {
  JsonFields fields(get(name, "an object", &Json::is_object), file_, place(name));
  read(fields);
  fields.finish();
}

void JsonFields::object_or_null(const char* name, const std::function<void(JsonFields&)>& read) {
  if (has(name) && json_.at(name).is_null()) {
    read_.insert(name);
  } else {
    object(name, read);
  }
}

void JsonFields::expect_schema(const char* schema, int version) {
  if (const std::string found = text("schema"); found != schema) refuse("schema", schema, found);
  if (const std::int64_t found = count("version"); found != version)
    refuse("version", std::to_string(version), std::to_string(found));
}

void JsonFields::finish() const {
  for (const auto& [name, value] : json_.items())
    if (!read_.contains(name)) throw InputError(file_, where_, "no other field", printable(name, 200));
}

Json parse_json(const std::string& text, const std::string& path) {
  bool too_deep = false;
  std::string twice;
  std::vector<std::set<std::string>> names;  // of the open object of each depth
  const auto checked = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto inside = static_cast<std::size_t>(depth) + 1;
    if (names.size() <= inside) names.resize(inside + 1);
    if (event == Json::parse_event_t::object_start) names[inside].clear();
    if (event == Json::parse_event_t::key && !names[inside - 1].insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    too_deep |= depth > kDeepest;
    return !too_deep;
  };
  Json json;
  try {
    json = Json::parse(text, checked, false);
  } catch (const Json::exception& error) {
    throw InputError(path, "", "JSON", error.what());
  }
  if (too_deep) throw InputError(path, "", "JSON of at most 64 levels", "more");
  if (!twice.empty())
    throw InputError(path, "", "every field once", fmt::format("\"{}\" twice", printable(twice, 200)));
  if (json.is_discarded()) throw InputError(path, "", "JSON", "something else, or a part of it");
  return json;
}

Json read_json_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(path, "", "a readable file", error.message());
  if (bytes > kMostBytes) throw InputError(path, "", "at most 256 MiB", fmt::format("{} bytes", bytes));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw InputError(path, "", "a readable file", std::strerror(errno));
  return parse_json(text.str(), path);
}

}  // namespace plumbline

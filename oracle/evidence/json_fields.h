#pragma once

#include "oracle/report/report_json.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace plumbline {

/// An object of a JSON file that others wrote, read field by field. Whatever is missing, of another type or
/// unknown is an InputError of one line: file, place (a JSON pointer), what was expected, what was found.
/// Text is printable UTF-8 of at most 64 KiB.
class JsonFields {
 public:
  /// `json` must outlive the reader.
  JsonFields(const Json& json, std::string file, std::string where = "");

  std::string text(const char* name);
  /// Null is the empty text.
  std::string text_or_null(const char* name);
  /// 0 to 2^53.
  std::int64_t count(const char* name);
  /// 0 to 2^64 - 1.
  void number_64(const char* name, std::uint64_t& value);
  void numbers(const char* name, std::vector<std::uint64_t>& values);
  double number(const char* name);
  bool boolean(const char* name);
  /// 64 lower-case hexadecimal digits.
  std::string sha256(const char* name);
  std::vector<std::string> texts(const char* name);
  void each(const char* name, const std::function<void(JsonFields&)>& read);
  void object(const char* name, const std::function<void(JsonFields&)>& read);
  /// Not called for null.
  void object_or_null(const char* name, const std::function<void(JsonFields&)>& read);
  /// The named field, when it is there: not every field of this version must be.
  bool has(const char* name) const { return json_.contains(name); }
  /// "schema" and "version" must be these.
  void expect_schema(const char* schema, int version);
  /// Throws for a field nobody asked for.
  void finish() const;

  [[noreturn]] void refuse(const char* name, const std::string& expected, const std::string& found) const;

 private:
  const Json& get(const char* name, const char* expected, bool (Json::*right)() const noexcept);
  std::string place(const char* name) const { return where_ + "/" + name; }

  const Json& json_;
  std::string file_, where_;
  std::set<std::string> read_;
};

/// The file as JSON. Throws InputError for what is none, is beyond 256 MiB or nests deeper than 64 levels.
Json read_json_file(const std::string& path);
/// The same of text that is in memory.
Json parse_json(const std::string& text, const std::string& path);

}  // namespace plumbline

#pragma once

#include "fixtures/dtype.h"
#include "reference/model/mrope.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumbline {

/// Reads the fields of a model's text config (Hugging Face names). A field that is missing or of no use
/// throws InputError "FILE: /config: expected …, found …".
class ConfigReader {
 public:
  ConfigReader(const std::string& text, const std::string& file);

  /// An integer from 1 to 2^24.
  std::int64_t extent(const char* name) const;
  /// An integer from `lowest` to 2^31 − 1, or `fallback` where it is not given.
  std::int64_t integer(const char* name, std::int64_t lowest, std::int64_t fallback) const;
  /// integer(), or the first of a list of them that is not empty.
  std::int64_t first_integer(const char* name, std::int64_t lowest, std::int64_t fallback) const;
  bool has(const char* name) const { return find(root_, name) != nullptr; }
  double positive(const char* name) const;
  bool flag(const char* name, bool fallback) const;
  /// One of `allowed`; the first one where it is not given.
  std::string choice(const char* name, const std::vector<std::string_view>& allowed) const;
  /// Integers from 1 to 2^24; empty where it is not given.
  std::vector<std::int64_t> extents(const char* name) const;

  /// A positive number of `rope_parameters`, or of the top level.
  double rope_positive(const char* name) const;
  /// mrope_section, or every pair by time where it is not given. Only interleaved sections are known.
  MropeSections sections(std::int64_t pairs) const;
  void require_default_rope() const;

  DType storage() const;
  /// Per layer: whether it is sparse attention (true) or linear attention (false).
  std::vector<bool> layer_is_sparse() const;

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

 private:
  const nlohmann::json* find(const nlohmann::json& object, const char* name) const;
  const nlohmann::json* find_rope(const char* name) const;
  [[noreturn]] void missing(const std::string& expected) const { fail(expected, "nothing"); }
  std::int64_t as_integer(const nlohmann::json& value, const char* name, std::int64_t lowest) const;
  std::int64_t as_extent(const nlohmann::json& value, const char* name) const;
  double as_positive(const nlohmann::json* value, const char* name) const;

  std::string file_;
  nlohmann::json root_, rope_;
};

}  // namespace plumbline

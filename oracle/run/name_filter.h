#pragma once

#include <regex>
#include <string>

namespace plumbline {

/// The --filter option: a regular expression (ECMAScript) searched for in names. Empty matches all.
class NameFilter {
 public:
  NameFilter() = default;
  /// Throws InputError for what is no regular expression.
  explicit NameFilter(const std::string& pattern);
  bool matches(const std::string& name) const;

 private:
  bool all_ = true;
  std::regex pattern_;
};

}  // namespace plumbline

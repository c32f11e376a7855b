#include "oracle/run/name_filter.h"

#include "fixtures/error.h"

#include <fmt/format.h>

namespace plumbline {

NameFilter::NameFilter(const std::string& pattern) : all_(pattern.empty()) {
  try {
    pattern_ = std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error&) {
    throw InputError(fmt::format("--filter: expected a regular expression, found '{}'", pattern));
  }
}

bool NameFilter::matches(const std::string& name) const { return all_ || std::regex_search(name, pattern_); }

}  // namespace plumbline

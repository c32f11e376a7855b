#pragma once

#include "oracle/report/report_json.h"

#include <string>
#include <vector>

namespace plumbline {

// Reads reports of this program for show: what is not there, or of another type, counts as nothing.
inline double number_in(const Json& json, const char* name, double otherwise = 0) {
  const auto at = json.find(name);
  return at != json.end() && at->is_number() ? at->get<double>() : otherwise;
}

inline std::string text_in(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Calls `function` with name and `field` of every check that holds it.
template <class Function>
void each_check(const std::vector<Json>& reports, const char* field, const Function& function) {
  for (const Json& report : reports) {
    if (!report.contains("checks")) continue;
    for (const Json& check : report.at("checks"))
      if (check.contains(field) && !check.at(field).is_null() && !check.at(field).empty())
        function(text_in(check, "name"), check.at(field));
  }
}

}  // namespace plumbline

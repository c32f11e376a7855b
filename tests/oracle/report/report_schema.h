#pragma once

#include "oracle/report/report_json.h"

#include <initializer_list>
#include <string>

#include <fmt/format.h>

namespace plumbline {

// Schema 1 of the JSON reports, written down independently of the writer.

enum class Need {
  text,
  number,
  object,
  array,
  boolean,
  text_or_null,
  number_or_null,
  object_or_null,
  array_or_null
};

struct Field {
  const char* name;
  Need need;
};

inline bool is(const Json& value, Need need) {
  switch (need) {
    case Need::text:
      return value.is_string();
    case Need::number:
      return value.is_number();
    case Need::object:
      return value.is_object();
    case Need::array:
      return value.is_array();
    case Need::boolean:
      return value.is_boolean();
    case Need::text_or_null:
      return value.is_string() || value.is_null();
    case Need::number_or_null:
      return value.is_number() || value.is_null();
    case Need::object_or_null:
      return value.is_object() || value.is_null();
    case Need::array_or_null:
      return value.is_array() || value.is_null();
  }
  return false;
}

inline std::string fields_fault(const Json& object, const std::string& where,
                                std::initializer_list<Field> fields) {
  if (!object.is_object()) return where + " is no object";
  for (const Field& field : fields) {
    if (!object.contains(field.name)) return fmt::format("{}: {} is missing", where, field.name);
    if (!is(object.at(field.name), field.need))
      return fmt::format("{}: {} has the wrong type", where, field.name);
  }
  return "";
}

inline std::string selection_fault(const Json& selection, const std::string& where) {
  std::string fault = fields_fault(selection, where,
                                   {{"case", Need::text},
                                    {"tag", Need::text},
                                    {"scores_tag", Need::text_or_null},
                                    {"rows", Need::number},
                                    {"contract", Need::text},
                                    {"status", Need::text},
                                    {"selector", Need::object_or_null},
                                    {"end_to_end", Need::object_or_null},
                                    {"census", Need::object},
                                    {"witnesses", Need::array}});
  for (const char* judgement : {"selector", "end_to_end"}) {
    if (!fault.empty() || selection[judgement].is_null()) continue;
    fault = fields_fault(selection[judgement], where + "." + judgement,
                         {{"canonical", Need::number},
                          {"order_only", Need::number},
                          {"tie_only", Need::number},
                          {"rounding", Need::number},
                          {"value_error", Need::number},
                          {"structural", Need::number}});
  }
  if (fault.empty())
    fault = fields_fault(selection["census"], where + ".census",
                         {{"rows", Need::number},
                          {"rows_selecting", Need::number},
                          {"on_exact_scores", Need::boolean},
                          {"rows_tied_at_cutoff", Need::number},
                          {"rows_zero_plateau", Need::number},
                          {"largest_tie_class", Need::number},
                          {"min_margin_ulp", Need::number_or_null},
                          {"median_margin_ulp", Need::number_or_null},
                          {"overflows", Need::array_or_null}});
  for (const Json& witness : selection.value("witnesses", Json::array()))
    if (fault.empty())
      fault = fields_fault(witness, where + ".witnesses",
                           {{"row", Need::number},
                            {"verdict", Need::text},
                            {"judgement", Need::text},
                            {"claimed_block", Need::number},
                            {"missed_block", Need::number},
                            {"gap", Need::text},
                            {"what", Need::text}});
  return fault;
}

/// The first thing that breaks schema 1 in a report; empty when nothing does.
inline std::string schema_fault(const Json& report) {
  std::string fault = fields_fault(
      report, "report", {{"schema", Need::number}, {"command", Need::text}, {"status", Need::text}});
  if (!fault.empty()) return fault;
  if (report["schema"] != 1) return "another schema";
  if (report["command"] == "select") {
    fault = fields_fault(report, "report", {{"file", Need::text}, {"selections", Need::array}});
    for (const Json& selection : report.value("selections", Json::array()))
      if (fault.empty()) fault = selection_fault(selection, "selection");
    return fault;
  }
  fault = fields_fault(report, "report",
                       {{"machine", Need::object},
                        {"checks", Need::array},
                        {"counts", Need::object},
                        {"not_executed", Need::array}});
  if (!fault.empty()) return fault;
  fault = fields_fault(report["machine"], "machine",
                       {{"cpu", Need::text},
                        {"threads", Need::number},
                        {"isa", Need::text},
                        {"compiler", Need::text},
                        {"build", Need::text},
                        {"device", Need::text_or_null}});
  for (const Json& check : report["checks"]) {
    const std::string where = check.value("name", "check");
    if (fault.empty())
      fault = fields_fault(check, where,
                           {{"name", Need::text},
                            {"kind", Need::text},
                            {check.contains("file") ? "file" : "case", Need::text},
                            {"subject", Need::text},
                            {"status", Need::text},
                            {"expected", Need::text},
                            {"reason", Need::text},
                            {"selections", Need::array},
                            {"repro", Need::text}});
    for (const Json& selection : check.value("selections", Json::array()))
      if (fault.empty()) fault = selection_fault(selection, where);
  }
  return fault;
}

}  // namespace plumbline

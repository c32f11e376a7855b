#include "oracle/report/attention_json.h"

#include "fixtures/capture/utf8.h"
#include "reference/numeric/ulp.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

Json ulp_json(std::int64_t distance) { return distance == kUlpNaN ? Json(nullptr) : Json(distance); }

Json tensor_json(const TapReport& tap) {
  return {{"dtype", name_of(tap.dtype)},
          {"elements", tap.elements},
          {"bit_equal", tap.bit_equal},
          {"max_ulp", ulp_json(tap.max_ulp)},
          {"p99_ulp", ulp_json(tap.p99_ulp)},
          {"beyond_bound", tap.beyond_bound},
          {"share_of_bound", tap.used_share},
          {"ulp_histogram", tap.ulp_histogram},
          {"worst",
           {{"row", tap.worst.token},
            {"column", tap.worst.column},
            {"found", tap.worst.recorded},
            {"exact", tap.worst.ours},
            {"bound", tap.worst.bound}}}};
}

}  // namespace

Json attention_json(const AttentionReport& report) {
  return {{"case", report.case_name},
          {"subject", report.subject},
          {"profile", report.profile},
          {"bound", report.derivation},
          {"rows", report.rows},
          {"rows_without_tokens", report.rows_without_tokens},
          {"rows_not_finite", report.rows_not_finite},
          {"empty_rows_wrong", report.empty_rows_wrong},
          {"status", name_of(report.status)},
          {"reason", report.reason},
          {"output", report.output ? tensor_json(*report.output) : Json(nullptr)},
          {"lse", report.lse ? tensor_json(*report.lse) : Json(nullptr)},
          {"witnesses", report.witnesses}};
}

std::vector<ReportLine> attention_lines(const Json& attention) {
  std::vector<ReportLine> lines;
  for (const char* tensor : {"output", "lse"}) {
    const Json& one = attention.at(tensor);
    if (one.is_null()) continue;
    const std::int64_t elements = one.at("elements").get<std::int64_t>();
    const double equal = one.at("bit_equal").get<double>();
    ReportLine line;
    line.part = printable(attention.at("subject").get<std::string>(), std::string::npos) + " " + tensor;
    line.rows = std::to_string(attention.at("rows").get<std::int64_t>());
    line.verdicts =
        fmt::format("{:.2f} % bit-equal, {} beyond bound",
                    elements == 0 ? 100 : 100 * equal / static_cast<double>(elements),
                    one.at("beyond_bound").get<std::int64_t>(), 100 * one.at("share_of_bound").get<double>());
    lines.push_back(std::move(line));
  }
  return lines;
}

Json attention_report(const RunReport& run, const std::string& file) {
  Json json = verify_json(run);
  json["command"] = "attention";
  json["file"] = file;
  return json;
}

}  // namespace plumbline

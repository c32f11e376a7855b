#include "oracle/report/run_report.h"

#include <fmt/format.h>

namespace plumbline {

std::string_view name_of(CheckKind kind) {
  switch (kind) {
    case CheckKind::golden:
      return "golden";
    case CheckKind::generated:
      return "generated";
    case CheckKind::split:
      return "split";
    case CheckKind::device:
      return "device";
  }
  return "?";
}

StatusCounts RunReport::counts() const {
  StatusCounts counts;
  for (const CheckResult& check : checks) counts.add(check.status, check.expect_vacuous);
  return counts;
}

std::string verdict_line(const StatusCounts& counts) {
  std::string parts;
  const auto part = [&](std::int64_t count, std::string_view status, std::string_view remark = "") {
    if (count > 0) parts += fmt::format("{}{} {}{}", parts.empty() ? "" : ", ", count, status, remark);
  };
  part(counts.pass, "PASS");
  part(counts.fail, "FAIL");
  part(counts.route_missed, "ROUTE_MISSED");
  part(counts.error, "ERROR");
  part(counts.vacuous, "VACUOUS");
  part(counts.vacuous_declared, "VACUOUS", " (declared)");
  part(counts.unsupported, "UNSUPPORTED");
  part(counts.not_executed, "NOT_EXECUTED");
  if (parts.empty()) parts = "no check was selected";
  switch (counts.exit_code()) {
    case 0:
      return "verified: " + parts;
    case 3:
      return "NOTHING EXECUTED: " + parts;
    default:
      return "NOT VERIFIED: " + parts;
  }
}

}  // namespace plumbline

#include "oracle/report/junit.h"

#include "fixtures/capture/utf8.h"
#include "oracle/report/report_lines.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(const ReportEntry& entry) {
  if (entry.status == name_of(Status::pass)) return Outcome::passed;
  if (!fails(entry)) return Outcome::skipped;
  const bool wrong = entry.status == name_of(Status::fail) || entry.status == name_of(Status::route_missed);
  return wrong ? Outcome::failure : Outcome::error;
}

std::string testcase(const ReportEntry& entry, const std::string& command) {
  std::string out = fmt::format("  <testcase classname=\"plumbline.{}.{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                command, entry.kind, xml_escaped(entry.name), entry.seconds);
  out += fmt::format("    <properties><property name=\"source\" value=\"{}\"/>", xml_escaped(entry.source));
  out += fmt::format("<property name=\"repro\" value=\"{}\"/></properties>\n", xml_escaped(entry.repro));
  const std::string message = xml_escaped(fmt::format("{}: {}", entry.status, entry.reason));
  const Outcome outcome = outcome_of(entry);
  if (outcome == Outcome::skipped) {
    out += fmt::format("    <skipped message=\"{}\"/>\n", message);
  } else if (outcome != Outcome::passed) {
    const char* element = outcome == Outcome::failure ? "failure" : "error";
    out += fmt::format("    <{} message=\"{}\">", element, message);
    for (const std::string& witness : entry.witnesses) out += xml_escaped(witness) + "\n";
    out += fmt::format("{}</{}>\n", xml_escaped(entry.repro), element);
  }
  return out + "  </testcase>\n";
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text, std::string::npos)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string junit_from_json(const Json& report) {
  const std::string command = report.at("command").get<std::string>();
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  for (const ReportEntry& entry : entries_of(report)) {
    ++tests;
    const Outcome outcome = outcome_of(entry);
    failures += outcome == Outcome::failure ? 1 : 0;
    errors += outcome == Outcome::error ? 1 : 0;
    skipped += outcome == Outcome::skipped ? 1 : 0;
    seconds += entry.seconds;
    cases += testcase(entry, command);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"plumbline {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      command, tests, failures, errors, skipped, seconds, cases);
}

}  // namespace plumbline

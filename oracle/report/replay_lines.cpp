#include "oracle/report/replay_lines.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

/// Numbers that are none are null in JSON.
std::string number_or(const Json& value, const char* otherwise, const char* format) {
  return value.is_null() ? std::string(otherwise) : fmt::format(fmt::runtime(format), value.get<double>());
}

double percent(const Json& part, const Json& whole) {
  const double all = whole.get<double>();
  return all == 0 ? 100 : 100 * part.get<double>() / all;
}

bool beyond(const Json& operation) { return operation.at("beyond_bound").get<std::int64_t>() > 0; }

std::string share_of_bound(const Json& operation) {
  return operation.at("share_of_bound").is_null()
             ? "inf"
             : fmt::format("{:.3g} %", 100 * operation.at("share_of_bound").get<double>());
}

std::string table_line(const Json& operation) {
  return fmt::format("{:>5}  {:<26}  {:>5}  {:>10}  {:>9.4f} %  {:>8}  {:>10.2f}  {:>10}  {:>8}\n",
                     text(operation, "layer"), text(operation, "operation"),
                     operation.at("taps").get<std::int64_t>(), operation.at("elements").get<std::int64_t>(),
                     percent(operation.at("bit_equal"), operation.at("elements")),
                     number_or(operation.at("max_ulp"), "NaN", "{:.0f}"),
                     operation.at("max_partial_ulp").get<double>(), share_of_bound(operation),
                     operation.at("beyond_bound").get<std::int64_t>());
}

/// A bound that is hardly used proves little. Operations whose results are all ours bit for bit do not count.
std::string median_line(const Json& operations) {
  std::vector<double> shares;
  for (const Json& one : operations) {
    if (one.at("bit_equal") == one.at("elements")) continue;
    shares.push_back(one.at("share_of_bound").is_null() ? HUGE_VAL : one.at("share_of_bound").get<double>());
  }
  if (shares.empty()) return "";
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  return fmt::format("the median operation uses {:.3g} % of its bound\n", 100 * *middle);
}

std::string divergence_line(const Json& first) {
  return fmt::format(
      "forward {}, {} ({}), batch row {}, token {}, column {}: recorded {}, ours {}, bound {}",
      first.at("forward").get<std::int64_t>(), text(first, "name"), text(first, "operation"),
      first.at("batch").get<std::int64_t>(), first.at("token").get<std::int64_t>(),
      first.at("column").get<std::int64_t>(), number_or(first.at("recorded"), "not finite", "{:.9g}"),
      number_or(first.at("ours"), "not finite", "{:.9g}"), number_or(first.at("bound"), "inf", "{:.3g}"));
}

std::string counts_line(const Json& counts) {
  std::string line;
  for (const auto& [verdict, rows] : counts.items())
    if (rows.get<std::int64_t>() != 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", verdict, rows.get<std::int64_t>());
  return line.empty() ? "no row" : line;
}

std::string logits_line(const Json& report) {
  const Json& logits = report.at("logits");
  std::string line =
      fmt::format("logits: {} live tokens, argmax equal at {}, largest difference {}",
                  logits.at("rows").get<std::int64_t>(), logits.at("argmax_equal").get<std::int64_t>(),
                  number_or(logits.at("max_abs"), "inf", "{:.3g}"));
  if (!report.contains("free_running")) return line + "\n";
  const Json& free = report.at("free_running");
  line += fmt::format(
      "\n        {} from the exact profile; ours is {} from it, which allows a difference of {} (measured)\n",
      number_or(free.at("max_abs_to_exact"), "inf", "{:.3g}"),
      number_or(free.at("ours_to_exact"), "inf", "{:.3g}"), number_or(free.at("bound"), "inf", "{:.3g}"));
  for (const Json& one : free.at("partings")) {
    line +=
        fmt::format("        parts at forward {}, batch row {}, token {}: {} recorded, {} ours, margin {}\n",
                    one.at("forward").get<std::int64_t>(), one.at("batch").get<std::int64_t>(),
                    one.at("token").get<std::int64_t>(), one.at("recorded").get<std::int64_t>(),
                    one.at("ours").get<std::int64_t>(), number_or(one.at("margin"), "inf", "{:.3g}"));
  }
  line +=
      fmt::format("selections: {} rows, {} followed at exact ties, {} parted{}{}\n",
                  free.at("selections").get<std::int64_t>(), free.at("followed_at_ties").get<std::int64_t>(),
                  free.at("selections_parted").get<std::int64_t>(),
                  text(free, "first_parted_selection").empty() ? "" : ", the first at ",
                  text(free, "first_parted_selection"));
  if (free.contains("conditioned")) {
    const Json& conditioned = free.at("conditioned");
    line += fmt::format(
        "        with the recorded selections followed: argmax equal at {}, largest difference {} (allowed "
        "{}); "
        "this is judged\n",
        conditioned.at("argmax_equal").get<std::int64_t>(),
        number_or(conditioned.at("max_abs"), "inf", "{:.3g}"),
        number_or(conditioned.at("bound"), "inf", "{:.3g}"));
  }
  return line;
}

ReportEntry entry_of(const Json& report, std::string name) {
  ReportEntry entry;
  entry.name = std::move(name);
  entry.kind = "replay";
  entry.subject = text(report, "subject");
  entry.source = text(report, "file");
  entry.status = name_of(Status::pass);
  entry.repro = text(report, "repro");
  return entry;
}

}  // namespace

std::string selection_summary(const Json& replay) {
  const Json& selection = replay.at("selection");
  if (selection.is_null()) return "";
  return fmt::format("selector {}; end_to_end {}", counts_line(selection.at("selector")),
                     counts_line(selection.at("end_to_end")));
}

std::vector<ReportEntry> replay_entries(const Json& report) {
  std::vector<ReportEntry> entries;
  for (const Json& operation : report.at("operations")) {
    ReportEntry& entry = entries.emplace_back(
        entry_of(report, fmt::format("layer {}/{}", text(operation, "layer"), text(operation, "operation"))));
    if (!beyond(operation)) continue;
    entry.status = name_of(Status::fail);
    entry.reason =
        fmt::format("{} of {} elements beyond their bound", operation.at("beyond_bound").get<std::int64_t>(),
                    operation.at("elements").get<std::int64_t>());
    const Json& first = report.at("first_divergence");
    if (first.at("operation") == operation.at("operation")) entry.witnesses.push_back(divergence_line(first));
  }
  if (!report.at("selection").is_null()) {
    const bool failed = text(report, "reason").starts_with("selection:");
    ReportEntry& entry = entries.emplace_back(entry_of(report, "selection"));
    if (failed) entry.status = name_of(Status::fail);
    if (failed) entry.reason = text(report, "reason");
  }
  for (const Json& tap : report.value("unsupported", Json::array())) {
    ReportEntry& entry = entries.emplace_back(entry_of(report, text(tap, "tap")));
    entry.status = name_of(Status::unsupported);
    entry.reason = text(tap, "reason");
  }
  if (report.contains("free_running") || entries.empty()) {
    ReportEntry& entry = entries.emplace_back(entry_of(report, "logits"));
    entry.status = text(report, "status");
    entry.reason = text(report, "reason");
  }
  return entries;
}

/// What stands for the record beside another subject's taps, and what that subject does not compute.
std::string subject_lines(const Json& report) {
  if (!report.contains("unsupported")) return "";
  std::string out;
  const Json& beside = report.at("against_recorded");
  if (beside.at("elements").get<std::int64_t>() > 0)
    out += fmt::format("the capture's own record of them: {:.3f} % of {} elements bit-equal\n",
                       percent(beside.at("bit_equal"), beside.at("elements")),
                       beside.at("elements").get<std::int64_t>());
  for (const Json& tap : report.at("unsupported"))
    out += fmt::format("UNSUPPORTED {}: {}\n", text(tap, "tap"), text(tap, "reason"));
  return out;
}

std::string replay_verdict(const Json& report) {
  std::int64_t elements = 0, equal = 0, taps = 0, outside = 0;
  for (const Json& operation : report.at("operations")) {
    taps += operation.at("taps").get<std::int64_t>();
    elements += operation.at("elements").get<std::int64_t>();
    equal += operation.at("bit_equal").get<std::int64_t>();
    outside += operation.at("beyond_bound").get<std::int64_t>();
  }
  const std::string profile = text(report, "profile");
  if (text(report, "subject") != "recorded") {
    return fmt::format(
        "{}: {} taps, {:.3f} % of {} elements bit-equal to the reference, {} beyond the bound, {} taps "
        "UNSUPPORTED",
        text(report, "subject"), taps, percent(equal, elements), elements,
        outside == 0 ? "none" : std::to_string(outside),
        report.contains("unsupported") ? report.at("unsupported").size() : 0);
  }
  if (text(report, "mode") == "free") {
    const Json& logits = report.at("logits");
    return fmt::format(
        "free-running, argmax equal at {} of {} live tokens, largest difference {} (profile {})",
        logits.at("argmax_equal").get<std::int64_t>(), logits.at("rows").get<std::int64_t>(),
        number_or(logits.at("max_abs"), "inf", "{:.3g}"), profile);
  }
  return fmt::format(
      "teacher-forced, {} taps, {:.3f} % of {} elements bit-equal, {} beyond the bound (profile {})", taps,
      percent(equal, elements), elements, outside == 0 ? "none" : std::to_string(outside), profile);
}

std::string replay_text(const Json& report, bool color) {
  std::string out = fmt::format("profile {}: {}\n", text(report, "profile"), text(report, "profile_reason"));
  if (!report.at("operations").empty()) {
    out += fmt::format("{:>5}  {:<26}  {:>5}  {:>10}  {:>11}  {:>8}  {:>10}  {:>10}  {:>8}\n", "layer",
                       "operation", "taps", "elements", "bit-equal", "max ulp", "by partial", "of bound",
                       "beyond");
    for (const Json& operation : report.at("operations")) out += table_line(operation);
    out += median_line(report.at("operations"));
  }
  for (const Json& name : report.at("without_inputs"))
    out += fmt::format("not compared, its inputs are missing: {}\n", name.get<std::string>());
  if (const Json& unknown = report.at("unknown"); !unknown.empty()) {
    out += fmt::format("not compared, no step of the model gives it: {}", unknown[0].get<std::string>());
    out += unknown.size() > 1 ? fmt::format(" and {} more\n", unknown.size() - 1) : "\n";
  }
  out += text(report, "subject") == "recorded" ? logits_line(report) : subject_lines(report);
  if (const std::string selection = selection_summary(report); !selection.empty())
    out += fmt::format("indexer: {}\n", selection);
  if (const Json& first = report.at("first_divergence"); !first.is_null())
    out += fmt::format("first beyond its bound: {}\n", divergence_line(first));
  const std::string status = text(report, "status");
  if (status != name_of(Status::pass)) {
    if (report.at("first_divergence").is_null()) out += text(report, "reason") + "\n";
    out += fmt::format("repro: {}\n", text(report, "repro"));
  }
  return out + fmt::format("{}: {}\n", painted(status, color), replay_verdict(report));
}

std::string replay_markdown(const Json& report) {
  std::string out = fmt::format("## plumbline replay: {}\n\n{}\n\nFile: `{}`\n\n", text(report, "status"),
                                replay_verdict(report), text(report, "file"));
  if (!report.at("operations").empty())
    out +=
        "| layer | operation | elements | bit-equal | max ulp | by partial | of bound | beyond "
        "|\n|--:|---|--:|--:|--:|--:|--:|--:|\n";
  for (const Json& operation : report.at("operations")) {
    out += fmt::format("| {} | {} | {} | {:.4f} % | {} | {:.2f} | {} | {} |\n", text(operation, "layer"),
                       text(operation, "operation"), operation.at("elements").get<std::int64_t>(),
                       percent(operation.at("bit_equal"), operation.at("elements")),
                       number_or(operation.at("max_ulp"), "NaN", "{:.0f}"),
                       operation.at("max_partial_ulp").get<double>(), share_of_bound(operation),
                       operation.at("beyond_bound").get<std::int64_t>());
  }
  out += "\n```\n" + (text(report, "subject") == "recorded" ? logits_line(report) : subject_lines(report));
  if (const std::string selection = selection_summary(report); !selection.empty())
    out += "indexer: " + selection + "\n";
  if (const Json& first = report.at("first_divergence"); !first.is_null())
    out += "first beyond its bound: " + divergence_line(first) + "\n";
  if (text(report, "status") != name_of(Status::pass))
    out += text(report, "reason") + "\nrepro: " + text(report, "repro") + "\n";
  return out + "```\n";
}

}  // namespace plumbline

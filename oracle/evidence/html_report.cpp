#include "oracle/evidence/html_report.h"

#include "oracle/evidence/coverage.h"
#include "oracle/evidence/evidence_folder.h"
#include "oracle/evidence/html_charts.h"
#include "oracle/evidence/html_figures.h"
#include "oracle/evidence/html_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

// A sign beside the colour.
std::string cell_html(const EvidenceCell* cell) {
  if (cell == nullptr) return "<td class=\"source\">-</td>";
  const bool failed = cell->passed < cell->checks;
  const char* sign = "·";
  if (cell->level == Level::planned) sign = "○";
  if (cell->level == Level::executed) sign = "◐";
  if (cell->level == Level::measured) sign = "●";
  return fmt::format("<td class=\"{}\">{} {}</td>", failed ? "bad" : name_of(cell->level),
                     failed ? "✗" : sign, cell_text(cell));
}

std::string matrix_html(const std::vector<EvidenceCell>& cells) {
  const CoverageMatrix matrix = matrix_of(cells);
  if (matrix.rows.empty()) return "";
  std::string head, body;
  for (const std::string& capability : matrix.capabilities)
    head += fmt::format("<th scope=\"col\">{}</th>", escaped_html(capability));
  for (const CoverageMatrix::Row& row : matrix.rows) {
    body += fmt::format("<tr><th scope=\"row\">{}</th>", escaped_html(row.path));
    for (const EvidenceCell* cell : row.cells) body += cell_html(cell);
    body += "</tr>\n";
  }
  return html_scroll("Routes and architectures",
                     fmt::format("<table class=\"matrix\"><thead><tr><th scope=\"col\">path</th>{}</tr>"
                                 "</thead><tbody>\n{}</tbody></table>",
                                 head, body));
}

std::string group_html(const std::vector<const EvidenceFigure*>& figures) {
  double most = 0;
  for (const EvidenceFigure* figure : figures) most = std::max(most, figure->median_ms);
  std::vector<HtmlBar> bars;
  std::vector<double> floors;
  for (const EvidenceFigure* figure : figures) {
    const bool floor = figure->arm == "floor";
    if (floor) floors.push_back(figure->median_ms / most);
    bars.push_back({fmt::format("{}, {}", figure->arm, figure->stage),
                    floor ? fmt::format("{:.4f} ms at best", figure->median_ms)
                          : fmt::format("{:.4f} ms ({:.4f} to {:.4f})", figure->median_ms, figure->min_ms,
                                        figure->max_ms),
                    figure->median_ms / most, floor ? "floor" : ""});
  }
  return html_bars(bars, floors);
}

std::string bench_html(const std::vector<NamedEvidence>& runs) {
  std::string out;
  for (const NamedEvidence& run : runs) {
    std::map<std::string, std::vector<const EvidenceFigure*>> groups;
    std::vector<std::string> order;
    for (const EvidenceFigure& figure : run.evidence.figures) {
      const bool shown = figure.arm == "floor" || figure.stage.starts_with("whole") || figure.blocks == 0;
      if (!shown) continue;
      // Attention's stages name their size themselves: "attend, 29000 tokens, random".
      const std::size_t comma = figure.stage.find(", ");
      const std::string group = figure.blocks > 0            ? fmt::format("{} blocks", figure.blocks)
                                : comma == std::string::npos ? "other"
                                                             : figure.stage.substr(comma + 2);
      if (!groups.contains(group)) order.push_back(group);
      groups[group].push_back(&figure);
    }
    for (const std::string& group : order)
      out += fmt::format("<h3>{}: {}</h3>\n{}", escaped_html(run.name), escaped_html(group),
                         group_html(groups[group]));
    if (!run.evidence.figures.empty() && run.evidence.figures_commit != run.evidence.tool.commit)
      out += fmt::format("<p>Timed at commit {}, checked at {}.</p>\n",
                         escaped_html(run.evidence.figures_commit), escaped_html(run.evidence.tool.commit));
  }
  return out;
}

std::string failures_html(const HtmlRequest& request) {
  std::string items;
  if (request.verdict)
    for (const std::string& problem : request.verdict->problems)
      items += fmt::format("<li>{}</li>\n", escaped_html(problem));
  for (const NamedEvidence& run : request.runs)
    for (const EvidenceCheck& check : run.evidence.checks) {
      StatusCounts one;
      one.add(check.status, check.expect_vacuous);
      if (one.exit_code() == 1)
        items += fmt::format("<li>{}: {}: {}</li>\n", escaped_html(check.name), name_of(check.status),
                             escaped_html(check.reason));
    }
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

std::string absent_html(const std::vector<NamedEvidence>& runs) {
  std::map<std::string, std::int64_t> reasons;
  for (const NamedEvidence& run : runs)
    for (const EvidenceCheck& check : run.evidence.checks)
      if (check.status == Status::not_executed || check.status == Status::unsupported)
        ++reasons[fmt::format("{}: {}", name_of(check.status),
                              check.reason.empty() ? "no reason kept" : check.reason)];
  std::string items;
  for (const auto& [reason, count] : reasons)
    items += fmt::format("<li>{} ({} checks)</li>\n", escaped_html(reason), count);
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

std::string tiles_html(const StatusCounts& counts) {
  std::string tiles;
  const auto tile = [&](Status status, std::int64_t count, const char* kind) {
    if (count == 0 && status != Status::pass && status != Status::fail) return;
    tiles += fmt::format("<li class=\"{}\"><b>{}</b>{}</li>", count > 0 ? kind : "", count, name_of(status));
  };
  tile(Status::pass, counts.pass, "good");
  tile(Status::fail, counts.fail, "bad");
  tile(Status::route_missed, counts.route_missed, "bad");
  tile(Status::error, counts.error, "bad");
  tile(Status::vacuous, counts.vacuous + counts.vacuous_declared, counts.vacuous > 0 ? "bad" : "");
  tile(Status::unsupported, counts.unsupported, "");
  tile(Status::not_executed, counts.not_executed, "");
  return "<ul class=\"tiles\">" + tiles + "</ul>\n";
}

std::string header_html(const HtmlRequest& request) {
  StatusCounts counts;
  std::string runs;
  for (const NamedEvidence& run : request.runs) {
    const Evidence& one = run.evidence;
    for (const EvidenceCheck& check : one.checks) counts.add(check.status, check.expect_vacuous);
    runs += fmt::format(
        "<li>{}: {}{}, commit {}{}</li>\n", escaped_html(run.name), escaped_html(one.runner.cpu),
        one.device
            ? escaped_html(fmt::format(", {}, capability {}", one.device->name, one.device->capability))
            : "",
        one.tool.commit.empty() ? "unknown" : escaped_html(one.tool.commit),
        one.tool.dirty ? " with uncommitted changes" : "");
  }
  const std::string line = request.verdict ? request.verdict->line : verdict_line(counts);
  const bool passed = request.verdict ? request.verdict->passed : counts.exit_code() == 0;
  return fmt::format(
      "<h1>Plumbline</h1>\n<p class=\"verdict{}\" role=\"status\">{} {}</p>\n{}<ul class=\"runs "
      "soft\">\n{}</ul>\n",
      passed ? " pass" : "", passed ? "✓" : "✗", escaped_html(line), tiles_html(counts), runs);
}

}  // namespace

HtmlRequest read_html_request(const std::vector<std::string>& folders) {
  HtmlRequest request;
  for (const std::string& folder : folders) {
    request.runs.push_back({std::filesystem::path(folder).filename().string(), read_evidence(folder)});
    for (Json& report : read_evidence_reports(folder)) request.reports.push_back(std::move(report));
  }
  return request;
}

std::string html_report(const HtmlRequest& request) {
  struct Part {
    const char *id, *title, *about;
    std::string body;
  };
  const std::vector<Part> parts = {
      {"wrong", "What is wrong", "Every check that failed, and what the gate misses.",
       failures_html(request)},
      {"matrix", "Routes and architectures",
       "· source: the code is there; ○ static: the dispatch would take it; ◐ executed: it ran and was judged "
       "right; ● measured: and timed.",
       matrix_html(merge_cells(request.runs))},
      {"layers", "How far each layer is from its recording",
       "The largest difference of an element, in ULP of the largest partial sum behind it, on a logarithmic "
       "axis; red: beyond its own bound.",
       layers_html(request.reports)},
      {"ulp", "Distances in ULP",
       "Elements by their distance from the recording in ULP of their storage type; counts on a logarithmic "
       "axis.",
       ulp_html(request.reports)},
      {"attention", "Sparse attention",
       "The most that an element of output or log-sum-exp uses of its bound.",
       attention_html(request.reports)},
      {"splits", "Split reductions", "Distance from the exact value by the number of splits.",
       splits_html(request.reports)},
      {"ties", "Rows tied at the cutoff", "Where two blocks have the same score at the last place.",
       ties_html(request.reports)},
      {"margins", "Margin at the cutoff",
       "Between the last score taken and the first left out: least (ring) and median (dot), on a logarithmic "
       "axis.",
       margins_html(request.reports)},
      {"bench", "Benchmark", "Medians; grey, and the dashed lines: what the device could do at best.",
       bench_html(request.runs) + goals_html(request.reports)},
      {"mutants", "Planted faults", "Mutants of the kernels and of the reference that the checks must find.",
       mutants_html(request.reports)},
      {"absent", "Not executed", "What these runs say nothing about.", absent_html(request.runs)}};
  std::string body;
  std::vector<std::pair<std::string, std::string>> links;
  for (const Part& part : parts) {
    if (part.body.empty()) continue;
    links.emplace_back(part.id, part.title);
    body += html_section(part.id, part.title, part.about, part.body);
  }
  return html_page("Plumbline report", header_html(request), links, body);
}

}  // namespace plumbline

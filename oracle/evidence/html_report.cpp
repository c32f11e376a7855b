#include "oracle/evidence/html_report.h"

#include "oracle/evidence/coverage.h"
#include "oracle/evidence/evidence_folder.h"
#include "oracle/evidence/html_parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kMostLines = 200;

double number_in(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_number() ? at->get<double>() : 0;
}

std::string text_in(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

std::string matrix_html(const std::vector<EvidenceCell>& cells) {
  const CoverageMatrix matrix = matrix_of(cells);
  if (matrix.rows.empty()) return "";
  std::string head, body;
  for (const std::string& capability : matrix.capabilities)
    head += fmt::format("<th scope=\"col\">{}</th>", escaped_html(capability));
  for (const CoverageMatrix::Row& row : matrix.rows) {
    body += fmt::format("<tr><th scope=\"row\">{}</th>", escaped_html(row.path));
    for (const EvidenceCell* cell : row.cells) {
      const bool failed = cell != nullptr && cell->passed < cell->checks;
      const std::string_view kind = cell == nullptr ? "source" : failed ? "bad" : name_of(cell->level);
      body += fmt::format("<td class=\"{}\">{}</td>", kind, cell_text(cell));
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Routes and "
      "architectures\"><table><thead><tr>"
      "<th scope=\"col\">path</th>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      head, body);
}

// The checks of all reports that hold `field`.
template <class Function>
void each_check(const std::vector<Json>& reports, const char* field, const Function& function) {
  for (const Json& report : reports) {
    if (!report.contains("checks")) continue;
    for (const Json& check : report.at("checks"))
      if (check.contains(field) && !check.at(field).is_null() && !check.at(field).empty())
        function(text_in(check, "name"), check.at(field));
  }
}

std::string layers_html(const std::vector<Json>& reports) {
  std::string out;
  each_check(reports, "replay", [&](const std::string& name, const Json& replay) {
    std::vector<std::pair<std::string, std::pair<double, std::string>>> layers;
    bool beyond = false;
    for (const Json& one : replay.value("operations", Json::array())) {
      const std::string layer =
          text_in(one, "layer") == "-" ? "outside the layers" : "layer " + text_in(one, "layer");
      auto at = std::ranges::find_if(layers, [&](const auto& known) { return known.first == layer; });
      if (at == layers.end()) at = layers.insert(layers.end(), {layer, {-1, ""}});
      beyond |= number_in(one, "beyond_bound") > 0;
      if (const double share = number_in(one, "share_of_bound"); share > at->second.first)
        at->second = {share, text_in(one, "operation")};
    }
    std::vector<HtmlBar> bars;
    for (const auto& [layer, worst] : layers)
      bars.push_back({layer, fmt::format("{:.1f} % of the bound ({})", 100 * worst.first, worst.second),
                      worst.first, worst.first > 1 ? "bad" : ""});
    if (!bars.empty())
      out += fmt::format("<details{}><summary>{}: profile {}</summary>\n{}</details>\n",
                         out.empty() || beyond ? " open" : "", escaped_html(name),
                         escaped_html(text_in(replay, "profile")), html_bars(bars));
  });
  return out;
}

std::string ulp_html(const std::vector<Json>& reports) {
  std::string out;
  each_check(reports, "replay", [&](const std::string& name, const Json& replay) {
    // Steps of a layer by the decade of their largest distance.
    std::map<int, std::int64_t> steps;
    std::int64_t most = 1;
    for (const Json& one : replay.value("operations", Json::array())) {
      const double ulp = number_in(one, "max_ulp");
      const int decade = ulp < 1 ? -1 : static_cast<int>(std::floor(std::log10(ulp) + 1e-9));
      most = std::max(most, ++steps[decade]);
    }
    std::vector<HtmlBar> bars;
    for (const auto& [decade, count] : steps)
      bars.push_back(
          {decade < 0
               ? "0 ULP"
               : fmt::format("{:.0f} to {:.0f} ULP", std::pow(10, decade), std::pow(10, decade + 1) - 1),
           fmt::format("{} steps", count), static_cast<double>(count) / static_cast<double>(most)});
    if (!bars.empty())
      out += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", out.empty() ? " open" : "",
                         escaped_html(name), html_bars(bars));
  });
  return out;
}

std::string splits_html(const std::vector<Json>& reports) {
  std::string out;
  for (const Json& report : reports) {
    if (text_in(report, "command") != "bench split") continue;
    // Per reduction and numbers: the columns are split counts.
    std::map<std::pair<std::string, std::string>, std::vector<const Json*>> groups;
    for (const auto& [key, value] : report.items()) {
      if (!value.is_array()) continue;
      for (const Json& point : value)
        if (point.is_object() && point.contains("splits") && point.contains("ulp_max"))
          groups[{text_in(point, "reduction"),
                  fmt::format("{}, {} terms", text_in(point, "numbers"), number_in(point, "terms"))}]
              .push_back(&point);
    }
    for (const auto& [group, points] : groups) {
      std::vector<std::string> columns;
      std::vector<HtmlCurve> curves = {{"largest", {}}, {"99 of 100 below", {}}, {"bound", {}}};
      for (const Json* point : points) {
        columns.push_back(fmt::format("{} splits", number_in(*point, "splits")));
        curves[0].values.push_back(number_in(*point, "ulp_max"));
        curves[1].values.push_back(number_in(*point, "ulp_p99"));
        curves[2].values.push_back(number_in(*point, "bound_ulp"));
      }
      out += fmt::format("<details{}><summary>{}: {}</summary>\n{}</details>\n", out.empty() ? " open" : "",
                         escaped_html(group.first), escaped_html(group.second),
                         html_curves("ULP from the exact value", columns, curves));
    }
  }
  return out;
}

struct Census {
  std::string name;
  double rows = 0, tied = 0, least = -1, median = -1;
};

std::vector<Census> censuses_in(const std::vector<Json>& reports) {
  std::vector<Census> all;
  each_check(reports, "selections", [&](const std::string& name, const Json& selections) {
    for (const Json& selection : selections) {
      if (!selection.contains("census") || number_in(selection.at("census"), "rows_selecting") == 0) continue;
      const Json& census = selection.at("census");
      const std::string whole = fmt::format("{} {}", name, text_in(selection, "tag"));
      if (!all.empty() && all.back().name == whole) continue;
      const auto or_none = [&](const char* field) {
        return census.contains(field) && census.at(field).is_number() ? census.at(field).get<double>() : -1;
      };
      all.push_back({whole, number_in(census, "rows_selecting"), number_in(census, "rows_tied_at_cutoff"),
                     or_none("min_margin_ulp"), or_none("median_margin_ulp")});
    }
  });
  return all;
}

std::string cut(std::vector<HtmlBar> bars) {
  const std::size_t left_out = bars.size() > kMostLines ? bars.size() - kMostLines : 0;
  bars.resize(bars.size() - left_out);
  std::string out = html_bars(bars);
  if (left_out > 0) out += fmt::format("<p class=\"soft\">and {} more</p>\n", left_out);
  return out;
}

std::string ties_html(const std::vector<Census>& censuses) {
  std::vector<HtmlBar> bars;
  for (const Census& one : censuses)
    if (one.tied > 0)
      bars.push_back({one.name, fmt::format("{} of {} rows", one.tied, one.rows), one.tied / one.rows});
  return cut(std::move(bars));
}

std::string margins_html(const std::vector<Census>& censuses) {
  double most = 1;
  for (const Census& one : censuses) most = std::max(most, ulp_axis(one.median));
  std::vector<HtmlBar> bars;
  for (const Census& one : censuses)
    if (one.least >= 0)
      bars.push_back({one.name, fmt::format("least {:.0f}, median {:.0f} ULP", one.least, one.median),
                      ulp_axis(one.median) / most});
  return cut(std::move(bars));
}

std::string bench_html(const std::vector<NamedEvidence>& runs) {
  std::string out;
  for (const NamedEvidence& run : runs) {
    std::map<std::int64_t, std::vector<const EvidenceFigure*>> groups;
    for (const EvidenceFigure& figure : run.evidence.figures)
      if (figure.arm == "floor" || figure.stage.starts_with("whole"))
        groups[figure.blocks].push_back(&figure);
    for (const auto& [blocks, figures] : groups) {
      double most = 0;
      for (const EvidenceFigure* figure : figures) most = std::max(most, figure->median_ms);
      std::vector<HtmlBar> bars;
      for (const EvidenceFigure* figure : figures)
        bars.push_back({fmt::format("{}, {}", figure->arm, figure->stage),
                        figure->arm == "floor"
                            ? fmt::format("{:.4f} ms at best", figure->median_ms)
                            : fmt::format("{:.4f} ms ({:.4f} to {:.4f})", figure->median_ms, figure->min_ms,
                                          figure->max_ms),
                        figure->median_ms / most, figure->arm == "floor" ? "floor" : ""});
      out += fmt::format("<h3>{}: {} blocks</h3>\n{}", escaped_html(run.name), blocks, html_bars(bars));
    }
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
      "<h1>Plumbline</h1>\n<p class=\"verdict{}\" role=\"status\">{}</p>\n<ul class=\"soft\">\n{}</ul>\n",
      passed ? " pass" : "", escaped_html(line), runs);
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
  const std::vector<Census> censuses = censuses_in(request.reports);
  struct Part {
    const char *id, *title, *about;
    std::string body;
  };
  const std::vector<Part> parts = {
      {"wrong", "What is wrong", "Every check that failed, and what the gate misses.",
       failures_html(request)},
      {"matrix", "Routes and architectures",
       "source: the code is there; static: the dispatch would take it; executed: it ran and was judged; "
       "measured: and "
       "timed.",
       matrix_html(merge_cells(request.runs))},
      {"layers", "How far each layer is from its recording",
       "The largest share of an element's own error bound.", layers_html(request.reports)},
      {"ulp", "Distances in ULP", "Steps of the model by their largest distance from the recording.",
       ulp_html(request.reports)},
      {"splits", "Split reductions", "Distance from the exact value by the number of splits.",
       splits_html(request.reports)},
      {"ties", "Rows tied at the cutoff", "Where two blocks have the same score at the last place.",
       ties_html(censuses)},
      {"margins", "Margin at the cutoff",
       "Between the last score taken and the first left out, on a logarithmic axis.", margins_html(censuses)},
      {"bench", "Benchmark", "Medians; grey: what the device could do at best.", bench_html(request.runs)},
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

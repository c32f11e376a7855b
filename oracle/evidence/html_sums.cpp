#include "oracle/evidence/html_charts.h"
#include "oracle/evidence/html_figures.h"
#include "oracle/evidence/html_page.h"
#include "oracle/evidence/report_reading.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

// Per reduction and kind of numbers; the columns are split counts.
std::string curves_html(const Json& points) {
  std::map<std::pair<std::string, std::string>, std::vector<const Json*>> groups;
  for (const Json& point : points)
    groups[{text_in(point, "reduction"),
            fmt::format("{}, {} terms", text_in(point, "numbers"), number_in(point, "terms"))}]
        .push_back(&point);
  std::string out;
  for (const auto& [group, members] : groups) {
    std::vector<std::string> columns;
    std::vector<HtmlCurve> curves = {{"largest", {}}, {"99 of 100 below", {}}, {"bound", {}}};
    for (const Json* point : members) {
      const double splits = number_in(*point, "splits");
      columns.push_back(fmt::format("{} split{}", splits, splits == 1 ? "" : "s"));
      curves[0].values.push_back(number_in(*point, "ulp_max"));
      curves[1].values.push_back(number_in(*point, "ulp_p99"));
      curves[2].values.push_back(number_in(*point, "bound_ulp"));
    }
    out += html_fold(fmt::format("{}: {}", group.first, group.second),
                     html_curves("ULP from the exact value", columns, curves), out.empty());
  }
  return out;
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

void add_trials(const Json& trials, std::vector<std::vector<std::string>>& rows) {
  for (const Json& one : trials.value("numbers", Json::array()))
    rows.push_back({escaped_html(text_in(trials, "reduction") + ", " + text_in(one, "name")),
                    fmt::format("{}", number_in(one, "results")),
                    percent_text(number_in(one, "largest_share_of_bound")),
                    percent_text(number_in(one, "largest_share_of_likely")),
                    fmt::format("{}", number_in(one, "beyond_bound"))});
}

struct Ranks {
  double elements = 0, differ = 0, selections = 0, parted = 0, beyond = 0;
};

std::string ranks_html(const std::vector<Json>& reports) {
  std::map<std::string, Ranks> sums;
  each_check(reports, "ranks", [&](const std::string& name, const Json& all) {
    for (const Json& one : all) {
      Ranks& sum = sums[fmt::format("{}, {}, {} partial sums", name.substr(name.rfind('/') + 1),
                                    text_in(one, "order"), text_in(one, "partial"))];
      sum.elements += number_in(one, "elements");
      sum.differ += number_in(one, "elements_that_differ_by_rank");
      sum.selections += number_in(one, "selections_differ");
      sum.parted += number_in(one, "selections_parted");
      sum.beyond += number_in(one, "beyond_bound");
    }
  });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, sum] : sums)
    rows.push_back({escaped_html(name), fmt::format("{}", sum.elements), fmt::format("{}", sum.differ),
                    fmt::format("{}", sum.selections), fmt::format("{}", sum.parted),
                    fmt::format("{}", sum.beyond)});
  return html_table("Sums over ranks",
                    {"capture and order", "elements", "differ by rank", "selections that differ by rank",
                     "parted from one rank's", "beyond bound"},
                    rows);
}

}  // namespace

std::string splits_html(const std::vector<Json>& reports) {
  std::string out;
  std::vector<std::vector<std::string>> rows;
  for (const Json& report : reports) {
    if (text_in(report, "command") != "bench split") continue;
    out += curves_html(report.value("by_split_count", Json::array()));
  }
  each_check(reports, "split", [&](const std::string&, const Json& trials) { add_trials(trials, rows); });
  if (!rows.empty())
    out += "<h3>Random plans</h3>\n" + html_table("Random plans of each reduction",
                                                  {"reduction and numbers", "results", "most of the bound",
                                                   "most of the likely error", "beyond bound"},
                                                  rows);
  if (const std::string ranks = ranks_html(reports); !ranks.empty())
    out += "<h3>Sums over ranks</h3>\n" + ranks;
  return out;
}

std::string mutants_html(const std::vector<Json>& reports) {
  std::string out;
  for (const Json& report : reports) {
    if (text_in(report, "command") != "mutants") continue;
    std::map<std::string, std::pair<double, double>> suites;
    std::string survivors;
    for (const Json& one : report.value("matrix", Json::array())) {
      auto& [killed, all] = suites[text_in(one, "suite")];
      const bool dead = one.value("killed", false);
      all += 1;
      killed += dead ? 1 : 0;
      if (!dead)
        survivors += fmt::format("<li>{} survives: {}</li>\n", escaped_html(text_in(one, "id")),
                                 escaped_html(text_in(one, "about")));
    }
    std::vector<HtmlBar> bars;
    for (const auto& [suite, count] : suites)
      bars.push_back({suite, fmt::format("{} of {} killed", count.first, count.second),
                      count.first / count.second, count.first < count.second ? "bad" : ""});
    out += html_bars(bars);
    if (!survivors.empty()) out += "<ul>\n" + survivors + "</ul>\n";
    out += fmt::format("<p>A tolerance of 1e-4 on the scores would have let {} of them pass.</p>\n",
                       number_in(report, "pass_tolerance_1e-4"));
  }
  return out;
}

std::string goals_html(const std::vector<Json>& reports) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& report : reports)
    for (const Json& goal : report.value("goals", Json::array())) {
      const std::string unit = escaped_html(text_in(goal, "unit"));
      rows.push_back({escaped_html(text_in(goal, "name")),
                      fmt::format("{:.4g} {}", number_in(goal, "found"), unit),
                      fmt::format("{} {:.4g} {}", goal.value("at_most", false) ? "at most" : "at least",
                                  number_in(goal, "wanted"), unit),
                      goal.value("reached", false) ? "reached" : "<strong>MISSED</strong>"});
    }
  if (rows.empty()) return "";
  return "<h3>Goals</h3>\n" + html_table("Goals", {"goal", "found", "wanted", ""}, rows);
}

}  // namespace plumbline

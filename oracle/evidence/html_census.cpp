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

/// Of all selections of a case, whichever route made its scores: most ties, least margin.
struct Census {
  double rows = 0, tied = 0, least = -1, median = -1;

  void add(const Json& census) {
    const double share = number_in(census, "rows_tied_at_cutoff") / number_in(census, "rows_selecting");
    if (rows == 0 || share > tied / rows) {
      rows = number_in(census, "rows_selecting");
      tied = number_in(census, "rows_tied_at_cutoff");
    }
    const double margin = number_in(census, "min_margin_ulp", -1);
    if (margin >= 0 && (least < 0 || margin < least)) {
      least = margin;
      median = number_in(census, "median_margin_ulp", margin);
    }
  }
};
// Kind → case → census.
using Censuses = std::map<std::string, std::map<std::string, Census>>;

// "cuda/ROUTE/generated/ties" and "cuda/ROUTE/varied/generated/ties" ask what "generated/ties" asks.
std::pair<std::string, std::string> kind_and_case(const std::string& name) {
  const std::size_t last = name.rfind('/');
  if (last == std::string::npos) return {"others", name};
  const std::size_t before = name.rfind('/', last - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return {name.substr(begin, last - begin), name.substr(last + 1)};
}

Censuses censuses_in(const std::vector<Json>& reports) {
  Censuses all;
  const auto take = [&](const std::string& name, const Json& holder) {
    if (!holder.contains("census") || number_in(holder.at("census"), "rows_selecting") == 0) return;
    const auto [kind, one] = kind_and_case(name);
    all[kind][one].add(holder.at("census"));
  };
  each_check(reports, "selections", [&](const std::string& name, const Json& selections) {
    for (const Json& selection : selections) take(name, selection);
  });
  each_check(reports, "indexer", take);
  return all;
}

}  // namespace

std::string ties_html(const std::vector<Json>& reports) {
  std::string out;
  for (const auto& [kind, cases] : censuses_in(reports)) {
    std::vector<HtmlBar> bars;
    for (const auto& [name, one] : cases)
      if (one.tied > 0)
        bars.push_back({name, fmt::format("{} of {} rows", one.tied, one.rows), one.tied / one.rows});
    out += html_fold(fmt::format("{}: {} of {} cases have ties", kind, bars.size(), cases.size()),
                     html_bars(bars), out.empty());
  }
  return out;
}

std::string margins_html(const std::vector<Json>& reports) {
  const Censuses all = censuses_in(reports);
  double most = 1;
  for (const auto& [kind, cases] : all)
    for (const auto& [name, one] : cases) most = std::max(most, log_axis(one.median));
  std::string out;
  for (const auto& [kind, cases] : all) {
    std::vector<HtmlRange> ranges;
    for (const auto& [name, one] : cases)
      if (one.least >= 0)
        ranges.push_back({name, fmt::format("{:.0f} to {:.0f} ULP", one.least, one.median),
                          log_axis(one.least) / most, log_axis(one.median) / most});
    out += html_fold(kind, html_ranges(ranges), out.empty());
  }
  return out;
}

}  // namespace plumbline

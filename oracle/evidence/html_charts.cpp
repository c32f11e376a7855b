#include "oracle/evidence/html_charts.h"

#include "oracle/evidence/html_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr double kColumnRem = 6;  // the tallest column, below a line of text (html_style.cpp)

// What is not finite fills the whole chart.
double percent(double share) { return 100 * std::clamp(std::isfinite(share) ? share : 1.0, 0.0, 1.0); }

std::string labelled(const std::string& label, const std::string& value, const std::string& track) {
  return fmt::format("<div><dt><span>{}</span><b>{}</b></dt><dd><span class=\"track\">{}</span></dd></div>\n",
                     escaped_html(label), escaped_html(value), track);
}

std::string table_of(const std::string& axis, const std::vector<std::string>& columns,
                     const std::vector<HtmlCurve>& curves) {
  std::vector<std::string> heads = {""};
  heads.insert(heads.end(), columns.begin(), columns.end());
  std::vector<std::vector<std::string>> rows;
  for (const HtmlCurve& curve : curves) {
    rows.push_back({escaped_html(curve.name)});
    for (const double value : curve.values) rows.back().push_back(fmt::format("{:.4g}", value));
  }
  return html_table(axis, heads, rows);
}

}  // namespace

double log_axis(double value) { return std::log2(1 + std::max(0.0, value)); }

std::string html_bars(const std::vector<HtmlBar>& bars, const std::vector<double>& marks) {
  if (bars.empty()) return "";
  std::string lines;
  for (const double mark : marks)
    lines += fmt::format("<span class=\"mark\" style=\"left:{:.2f}%\"></span>", percent(mark));
  std::string out = "<dl class=\"bars\">\n";
  for (const HtmlBar& bar : bars)
    out += labelled(bar.label, bar.value,
                    fmt::format("<span class=\"fill{}{}\" style=\"width:{:.2f}%\"></span>{}",
                                bar.kind.empty() ? "" : " ", bar.kind, percent(bar.share), lines));
  return out + "</dl>\n";
}

std::string html_columns(const std::string& label, const std::vector<HtmlColumn>& columns) {
  if (columns.empty()) return "";
  std::string list = "<ol class=\"cols\">\n";
  for (const HtmlColumn& column : columns)
    list += fmt::format(
        "<li><span class=\"shaft\"><b>{}</b><span class=\"col{}\" style=\"height:{:.2f}rem\"></span></span>"
        "<span>{}</span>{}</li>\n",
        escaped_html(column.value), column.bad ? " bad" : "", kColumnRem * percent(column.share) / 100,
        escaped_html(column.label),
        column.note.empty() ? "" : fmt::format("<small>{}</small>", escaped_html(column.note)));
  return html_scroll(label, list + "</ol>");
}

std::string html_ranges(const std::vector<HtmlRange>& ranges) {
  if (ranges.empty()) return "";
  std::string out = "<dl class=\"bars\">\n";
  for (const HtmlRange& range : ranges) {
    const double low = percent(range.low), high = percent(range.high);
    out += labelled(range.label, range.value,
                    fmt::format("<span class=\"span\" style=\"left:{:.2f}%;width:{:.2f}%\"></span>"
                                "<span class=\"dot low\" style=\"left:{:.2f}%\"></span>"
                                "<span class=\"dot\" style=\"left:{:.2f}%\"></span>",
                                low, std::max(0.0, high - low), low, high));
  }
  return out + "</dl>\n";
}

std::string html_curves(const std::string& axis, const std::vector<std::string>& columns,
                        const std::vector<HtmlCurve>& curves) {
  if (columns.empty() || curves.empty()) return "";
  double most = 1;
  for (const HtmlCurve& curve : curves)
    for (const double value : curve.values) most = std::max(most, log_axis(value));
  const double width = std::max<double>(1, static_cast<double>(columns.size()) - 1);
  std::string key, lines, ticks;
  for (int tick = 0; tick <= 4; ++tick) {
    lines +=
        fmt::format("<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"{0}\" y2=\"{0}\"/>\n", 4 + 48 * tick);
    const double value = std::exp2(most * (4 - tick) / 4) - 1;
    ticks +=
        value < 1000 ? fmt::format("<span>{:.3g}</span>", value) : fmt::format("<span>{:.0f}</span>", value);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::string points;
    for (std::size_t at = 0; at < curves[i].values.size(); ++at)
      points += fmt::format("{:.2f},{:.2f} ", 1000 * static_cast<double>(at) / width,
                            196 - 192 * log_axis(curves[i].values[at]) / most);
    lines += fmt::format("<polyline class=\"s{}\" points=\"{}\"/>\n", i % 4, points);
    key += fmt::format("<li class=\"s{}\">{} {}</li>", i % 4,
                       i % 4 == 0   ? "—"
                       : i % 4 == 1 ? "– –"
                       : i % 4 == 2 ? "· ·"
                                    : "– ·",
                       escaped_html(curves[i].name));
  }
  return fmt::format(
      "<ul class=\"key\">{}</ul>\n<div class=\"plot\"><div class=\"y\">{}</div>"
      "<svg viewBox=\"0 0 1000 200\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}; the figures are in the table below\">\n{}</svg>"
      "<div class=\"x\"><span>{}</span><span>{}</span></div></div>\n{}",
      key, ticks, escaped_html(axis), lines, escaped_html(columns.front()), escaped_html(columns.back()),
      table_of(axis, columns, curves));
}

}  // namespace plumbline

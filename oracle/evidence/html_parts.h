#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// `text` as HTML character data or attribute value.
std::string escaped_html(std::string_view text);

/// One bar of a chart: its length is a share of the chart's width.
struct HtmlBar {
  std::string label, value;  ///< what it is, and the figure in words
  double share = 0;          ///< 0 to 1
  std::string kind = {};     ///< "", "bad", "floor": its colour
};
/// A list of bars, each with its label and value as text: nothing is told by length or colour alone.
std::string html_bars(const std::vector<HtmlBar>& bars);

/// One polyline of a curve.
struct HtmlCurve {
  std::string name;
  std::vector<double> values;  ///< one per column, the same for all; at least 0
};
/// Curves over columns, on a logarithmic axis that begins at 0, with the figures as a table below.
std::string html_curves(const std::string& axis, const std::vector<std::string>& columns,
                        const std::vector<HtmlCurve>& curves);

/// log2(1 + value), the axis of distances in ULP.
double ulp_axis(double value);

/// A section with a heading that can be linked to; empty where `body` is.
std::string html_section(const std::string& id, const std::string& title, const std::string& about,
                         const std::string& body);

/// The whole page: everything in one file, no script, nothing loaded.
std::string html_page(const std::string& title, const std::string& header,
                      const std::vector<std::pair<std::string, std::string>>& links, const std::string& body);

}  // namespace plumbline

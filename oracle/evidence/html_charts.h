#pragma once

#include <string>
#include <vector>

namespace plumbline {

// Charts of plain HTML and SVG. Every figure stands there as text too: nothing is told by length, place or
// colour alone.

/// One bar: its length is a share of the chart's width.
struct HtmlBar {
  std::string label, value;  ///< what it is, and the figure in words
  double share = 0;          ///< 0 to 1
  std::string kind = {};     ///< "", "bad", "floor": its colour
};
/// Bars below each other; `marks` are shares at which a line crosses them all.
std::string html_bars(const std::vector<HtmlBar>& bars, const std::vector<double>& marks = {});

/// A column of a histogram or a profile along the layers.
struct HtmlColumn {
  std::string label, value, note = {};
  double share = 0;  ///< 0 to 1, of the chart's height
  bool bad = false;
};
std::string html_columns(const std::string& label, const std::vector<HtmlColumn>& columns);

/// From a low to a high figure on a common axis.
struct HtmlRange {
  std::string label, value;
  double low = 0, high = 0;  ///< 0 to 1
};
std::string html_ranges(const std::vector<HtmlRange>& ranges);

/// One polyline of a curve.
struct HtmlCurve {
  std::string name;
  std::vector<double> values;  ///< one per column, the same for all; at least 0
};
/// Curves over columns, on a logarithmic axis that begins at 0, with the figures as a table below.
std::string html_curves(const std::string& axis, const std::vector<std::string>& columns,
                        const std::vector<HtmlCurve>& curves);

/// log2(1 + value), the axis of distances in ULP and of counts.
double log_axis(double value);

}  // namespace plumbline

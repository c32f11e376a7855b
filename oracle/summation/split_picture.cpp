#include "oracle/summation/split_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr double kLeft = 56, kTop = 46, kWidth = 190, kHeight = 180, kGap = 62;

/// One reduction's axes: split counts to the right, ULP upwards, both logarithmic.
class Panel {
 public:
  Panel(std::span<const SplitPoint> points, double left) : points_(points), left_(left) {
    for (const SplitPoint& point : points_) {
      most_splits_ = std::max(most_splits_, static_cast<double>(point.splits));
      most_ulp_ = std::max({most_ulp_, static_cast<double>(point.ulp_max), point.bound_ulp});
    }
    decades_ = std::ceil(std::log10(most_ulp_));
  }

  std::string draw() const {
    std::string svg = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n"
        "<text x=\"{:.1f}\" y=\"{}\" class=\"title\">{}, {} terms</text>\n",
        left_, kTop, kWidth, kHeight, left_, kTop - 8, name_of(points_[0].reduction), points_[0].terms);
    for (int decade = 0; decade <= static_cast<int>(decades_); ++decade) {
      if (decade % std::max(1, static_cast<int>(decades_) / 4) != 0) continue;
      const double y = up(std::pow(10.0, decade));
      svg += fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"left\">1e{}</text>\n",
          left_, left_ + kWidth, y, y, left_ - 5, y + 4, decade);
    }
    for (double splits = 1; splits <= most_splits_; splits *= 2)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"below\">{}</text>\n", across(splits),
                         kTop + kHeight + 14, splits);
    for (std::size_t family = 0; family < all_split_data().size(); ++family) svg += lines(family);
    return svg;
  }

 private:
  double across(double splits) const {
    const double octaves = std::max(1.0, std::log2(most_splits_));
    return left_ + 8 + (kWidth - 16) * std::log2(splits) / octaves;
  }
  /// 0 ULP lies on the axis, below 1.
  double up(double ulp) const {
    const double height = ulp < 1 ? 0 : (0.5 + std::log10(ulp)) / (decades_ + 0.5);
    return kTop + kHeight - kHeight * height;
  }

  std::string lines(std::size_t family) const {
    std::string measured, bound;
    for (const SplitPoint& point : points_) {
      if (point.data != all_split_data()[family]) continue;
      const double x = across(static_cast<double>(point.splits));
      measured += fmt::format("{:.1f},{:.1f} ", x, up(static_cast<double>(point.ulp_max)));
      bound += fmt::format("{:.1f},{:.1f} ", x, up(point.bound_ulp));
    }
    return fmt::format(
        "<polyline points=\"{}\" class=\"d{}\"/><polyline points=\"{}\" class=\"d{} bound\"/>\n", measured,
        family, bound, family);
  }

  std::span<const SplitPoint> points_;
  double left_, most_splits_ = 1, most_ulp_ = 1, decades_ = 1;
};

}  // namespace

std::string split_picture(const std::vector<SplitPoint>& points) {
  constexpr std::array<std::string_view, 5> colours = {"#444444", "#0072b2", "#d55e00", "#009e73", "#cc79a7"};
  std::string panels;
  double left = kLeft;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first;
    while (last < points.size() && points[last].reduction == points[first].reduction) ++last;
    panels += Panel(std::span(points).subspan(first, last - first), left).draw();
    left += kWidth + kGap;
    first = last;
  }
  std::string style, legend;
  for (std::size_t family = 0; family < colours.size(); ++family) {
    const double x = kLeft + 130 * static_cast<double>(family);
    style += fmt::format(".d{0}{{stroke:{1};fill:none;stroke-width:1.6}} .t{0}{{fill:{1}}} ", family,
                         colours[family]);
    legend += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"t{}\">{}</text>\n", x, kTop + kHeight + 42,
                          family, name_of(all_split_data()[family]));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<style>{}.bound{{stroke-dasharray:4 3;stroke-width:1}} "
      ".frame{{fill:none;stroke:#999}} .grid{{stroke:#e4e4e4}} .left{{text-anchor:end}} "
      ".below{{text-anchor:middle}} .title{{font-size:12px;font-weight:bold}}</style>\n"
      "<text x=\"{}\" y=\"16\" font-size=\"13\">Largest distance from the exact value, in ULP of float32, "
      "over the "
      "number of splits (dashed: the plan's bound)</text>\n{}{}</svg>\n",
      left, kTop + kHeight + 54, style, kLeft, panels, legend);
}

}  // namespace plumbline

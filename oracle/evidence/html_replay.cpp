#include "oracle/evidence/html_charts.h"
#include "oracle/evidence/html_figures.h"
#include "oracle/evidence/html_page.h"
#include "oracle/evidence/report_reading.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct Layer {
  std::string name;
  double elements = 0, equal = 0, units = 0, share = 0;
  bool beyond = false;
};

std::vector<Layer> layers_of(const Json& replay) {
  std::vector<Layer> layers;
  for (const Json& one : replay.value("operations", Json::array())) {
    const std::string name = text_in(one, "layer") == "-" ? "rest" : text_in(one, "layer");
    auto at = std::ranges::find(layers, name, &Layer::name);
    if (at == layers.end()) {
      layers.emplace_back().name = name;
      at = std::prev(layers.end());
    }
    at->elements += number_in(one, "elements");
    at->equal += number_in(one, "bit_equal");
    at->units = std::max(at->units, number_in(one, "max_partial_ulp"));
    at->share = std::max(at->share, number_in(one, "share_of_bound"));
    at->beyond |= number_in(one, "beyond_bound") > 0;
  }
  return layers;
}

std::string bin_name(std::size_t bin) {
  if (bin < 2) return fmt::format("{}", bin);
  const double low = std::ldexp(1.0, static_cast<int>(bin) - 1);
  return low < 512 ? fmt::format("{:.0f}–{:.0f}", low, 2 * low - 1) : fmt::format("2^{}", bin - 1);
}

std::string share_text(double share) {
  return share < 1e-5 ? "< 0.001 %" : fmt::format("{:.2g} %", 100 * share);
}

std::string count_text(double count) {
  if (count >= 1e6) return fmt::format("{:.1f} M", count / 1e6);
  if (count >= 1e4) return fmt::format("{:.0f} k", count / 1e3);
  return fmt::format("{:.0f}", count);
}

}  // namespace

std::string layers_html(const std::vector<Json>& reports) {
  std::string out;
  each_check(reports, "replay", [&](const std::string& name, const Json& replay) {
    const std::vector<Layer> layers = layers_of(replay);
    double most = 1;
    bool beyond = false;
    std::vector<HtmlColumn> columns;
    for (const Layer& layer : layers) {
      most = std::max(most, log_axis(layer.units));
      beyond |= layer.beyond;
    }
    for (const Layer& layer : layers)
      columns.push_back({layer.name == "rest" ? "no layer" : "layer " + layer.name,
                         fmt::format("{:.3g}", layer.units),
                         fmt::format("{:.1f} % equal", 100 * layer.equal / std::max(1.0, layer.elements)),
                         log_axis(layer.units) / most, layer.beyond});
    const std::string title = fmt::format("{}: roundings of {}{}", name, text_in(replay, "profile"),
                                          beyond ? ", BEYOND ITS BOUND" : ", every element within its bound");
    out += html_fold(title, html_columns("Layers of " + name, columns), out.empty() || beyond);
  });
  return out;
}

std::string ulp_html(const std::vector<Json>& reports) {
  std::string out;
  each_check(reports, "replay", [&](const std::string& name, const Json& replay) {
    std::vector<double> counts;
    for (const Json& one : replay.value("operations", Json::array())) {
      const Json bins = one.value("ulp_histogram", Json::array());
      counts.resize(std::max(counts.size(), bins.size()));
      for (std::size_t bin = 0; bin < bins.size(); ++bin) counts[bin] += bins[bin].get<double>();
    }
    double most = 1, all = 0;
    for (const double count : counts) {
      most = std::max(most, log_axis(count));
      all += count;
    }
    std::vector<HtmlColumn> columns;
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      columns.push_back({bin_name(bin), count_text(counts[bin]), share_text(counts[bin] / all),
                         log_axis(counts[bin]) / most});
    out += html_fold(name, html_columns("Distances of " + name, columns), out.empty());
  });
  return out;
}

std::string attention_html(const std::vector<Json>& reports) {
  // Of a device's ways through attention a line each, over all cases; else a line a case.
  std::map<std::string, std::pair<double, double>> worst;
  each_check(reports, "attention", [&](const std::string& name, const Json& all) {
    const std::string key = name.starts_with("cuda/") ? "cuda: " + name.substr(name.rfind('/') + 1) : name;
    auto& [share, beyond] = worst[key];
    for (const Json& one : all)
      for (const char* tensor : {"output", "lse"}) {
        if (!one.contains(tensor) || !one.at(tensor).is_object()) continue;
        share = std::max(share, number_in(one.at(tensor), "share_of_bound"));
        beyond += number_in(one.at(tensor), "beyond_bound");
      }
  });
  std::vector<HtmlBar> bars;
  for (const auto& [name, found] : worst)
    bars.push_back({name, fmt::format("{:.1f} % of the bound, {} beyond", 100 * found.first, found.second),
                    found.first, found.second > 0 ? "bad" : ""});
  return html_bars(bars);
}

}  // namespace plumbline

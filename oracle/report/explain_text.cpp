#include "oracle/report/explain_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

}  // namespace

std::string explain_text(const Json& report) {
  std::string out =
      fmt::format("{:<12}  {:>14}  {:>22}\n", "profile", "mean bit-equal", "within their bound");
  for (const Json& fit : report.at("profiles")) {
    out +=
        fmt::format("{:<12}  {:>12.4f} %  {:>22}\n", text(fit, "profile"),
                    100 * fit.at("mean_bit_equal_share").get<double>(),
                    fmt::format("{} of {} operations", fit.at("operations_within_bound").get<std::int64_t>(),
                                fit.at("operations").get<std::int64_t>()));
  }
  const auto listed = [](const Json& names) {
    std::string line;
    for (const Json& name : names) line += (line.empty() ? "" : " ") + name.get<std::string>();
    return line.empty() ? std::string("none") : line;
  };
  out += fmt::format("\n{:<26}  {:>11}  {:<30}  {}\n", "operation", "bit-equal", "best", "within the bound");
  for (const Json& fit : report.at("operations")) {
    double largest = 0;
    for (const auto& [profile, share] : fit.at("bit_equal_share").items())
      largest = std::max(largest, share.get<double>());
    const std::size_t profiles = fit.at("bit_equal_share").size();
    const auto names = [&](const Json& some) {
      return some.size() == profiles ? std::string("all") : listed(some);
    };
    out += fmt::format("{:<26}  {:>9.4f} %  {:<30}  {}\n", text(fit, "operation"), 100 * largest,
                       names(fit.at("best")), names(fit.at("within_bound")));
  }
  out += fmt::format("\nbest profile: {}; operations that fit none: {}\n",
                     report.at("best").is_null() ? "none" : text(report, "best"),
                     listed(report.at("unexplained")));
  return out;
}

}  // namespace plumbline

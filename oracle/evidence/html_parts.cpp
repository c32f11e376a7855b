#include "oracle/evidence/html_parts.h"

#include "fixtures/capture/utf8.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--bar:#0969da;
--good:#1a7f37;--bad:#cf222e;--static:#9a6700;--floor:#8c959f;--c0:#0969da;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df}
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9198a1;--line:#3d444d;--card:#151b23;
--bar:#4493f8;--good:#3fb950;--bad:#f85149;--static:#d29922;--floor:#656c76;--c0:#4493f8;--c1:#db6d28;--c2:#3fb950;
--c3:#ab7df8}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .25rem}h3{font-size:1rem;margin:1rem 0 .25rem}
p,ul{margin:.25rem 0 .75rem}ul{padding-left:1.25rem}.soft{color:var(--soft)}
a{color:var(--bar)}:focus-visible{outline:3px solid var(--bar);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}nav a{display:inline-block;padding:.25rem 0}
.verdict{border-left:.4rem solid var(--bad);background:var(--card);padding:.75rem 1rem;font-weight:600}
.verdict.pass{border-color:var(--good)}
.scroll{overflow-x:auto;border:1px solid var(--line)}
table{border-collapse:collapse;font-size:.875rem}th,td{border:1px solid var(--line);padding:.3rem .5rem;text-align:left;
white-space:nowrap}thead th{background:var(--card)}tbody th{position:sticky;left:0;background:var(--bg);font-weight:400}
.executed,.measured{color:var(--good);font-weight:600}.static{color:var(--static)}.source{color:var(--soft)}
.bad{color:var(--bad);font-weight:700}
.bars{margin:0;display:grid;gap:.35rem}.bars dt{font-size:.875rem}.bars dd{margin:0}
.track{display:block;height:.6rem;background:var(--card)}.fill{display:block;height:100%;background:var(--bar)}
.fill.bad{background:var(--bad)}.fill.floor{background:var(--floor)}
.bars dt{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}.bars b{font-weight:600}
svg{display:block;width:100%;height:14rem;background:var(--card)}polyline{fill:none;stroke-width:2;
vector-effect:non-scaling-stroke}
.s0{stroke:var(--c0);color:var(--c0)}.s1{stroke:var(--c1);color:var(--c1)}.s2{stroke:var(--c2);color:var(--c2)}
.s3{stroke:var(--c3);color:var(--c3)}.s1{stroke-dasharray:6 3}.s2{stroke-dasharray:2 3}.s3{stroke-dasharray:9 3 2 3}
summary{cursor:pointer;padding:.35rem 0}
)";

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : printable(text, std::string::npos)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

double ulp_axis(double value) { return std::log2(1 + std::max(0.0, value)); }

std::string html_bars(const std::vector<HtmlBar>& bars) {
  if (bars.empty()) return "";
  std::string out = "<dl class=\"bars\">\n";
  for (const HtmlBar& bar : bars)
    out += fmt::format(
        "<div><dt><span>{}</span><b>{}</b></dt><dd><span class=\"track\"><span class=\"fill{}{}\" "
        "style=\"width:{:.2f}%\"></span></span></dd></div>\n",
        escaped_html(bar.label), escaped_html(bar.value), bar.kind.empty() ? "" : " ", bar.kind,
        100 * std::clamp(std::isfinite(bar.share) ? bar.share : 1.0, 0.0, 1.0));
  return out + "</dl>\n";
}

std::string html_curves(const std::string& axis, const std::vector<std::string>& columns,
                        const std::vector<HtmlCurve>& curves) {
  if (columns.empty() || curves.empty()) return "";
  double most = 1;
  for (const HtmlCurve& curve : curves)
    for (const double value : curve.values) most = std::max(most, ulp_axis(value));
  const double width = std::max<double>(1, static_cast<double>(columns.size()) - 1);
  std::string names, lines, head, body;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::string points;
    for (std::size_t at = 0; at < curves[i].values.size(); ++at)
      points += fmt::format("{:.2f},{:.2f} ", 1000 * static_cast<double>(at) / width,
                            196 - 192 * ulp_axis(curves[i].values[at]) / most);
    lines += fmt::format("<polyline class=\"s{}\" points=\"{}\"/>\n", i % 4, points);
    names += fmt::format("{}<span class=\"s{}\">{}</span>", i == 0 ? "" : ", ", i % 4,
                         escaped_html(curves[i].name));
    body += fmt::format("<tr><th scope=\"row\">{}</th>", escaped_html(curves[i].name));
    for (const double value : curves[i].values) body += fmt::format("<td>{:.4g}</td>", value);
    body += "</tr>\n";
  }
  for (const std::string& column : columns)
    head += fmt::format("<th scope=\"col\">{}</th>", escaped_html(column));
  return fmt::format(
      "<p class=\"soft\">{}, 0 to {:.4g}: {}</p>\n<svg viewBox=\"0 0 1000 200\" preserveAspectRatio=\"none\" "
      "role=\"img\" "
      "aria-label=\"{}; the figures are in the table below\">\n{}</svg>\n<div class=\"scroll\" "
      "tabindex=\"0\" "
      "role=\"region\" "
      "aria-label=\"{}\"><table><thead><tr><td></td>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      escaped_html(axis), std::exp2(most) - 1, names, escaped_html(axis), lines, escaped_html(axis), head,
      body);
}

std::string html_section(const std::string& id, const std::string& title, const std::string& about,
                         const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"soft\">{}</p>\n{}</section>\n", id,
                     escaped_html(title), escaped_html(about), body);
}

std::string html_page(const std::string& title, const std::string& header,
                      const std::vector<std::pair<std::string, std::string>>& links,
                      const std::string& body) {
  std::string nav;
  for (const auto& [id, name] : links)
    nav += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, escaped_html(name));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<title>{}</title><style>{}</style></head>\n<body><a class=\"skip\" href=\"#main\">Skip to the "
      "figures</a>\n"
      "<header>{}</header>\n<nav aria-label=\"Parts\"><ul>{}</ul></nav>\n<main "
      "id=\"main\">\n{}</main></body></html>\n",
      escaped_html(title), kStyle, header, nav, body);
}

}  // namespace plumbline

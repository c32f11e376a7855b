#include "oracle/evidence/html_page.h"

#include "oracle/evidence/html_style.h"
#include "oracle/report/junit.h"

#include <fmt/format.h>

namespace plumbline {

std::string escaped_html(std::string_view text) { return xml_escaped(std::string(text)); }

std::string html_section(const std::string& id, const std::string& title, const std::string& about,
                         const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"soft\">{}</p>\n{}</section>\n", id,
                     escaped_html(title), escaped_html(about), body);
}

std::string html_fold(const std::string& title, const std::string& body, bool open) {
  if (body.empty()) return "";
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "",
                     escaped_html(title), body);
}

std::string html_scroll(const std::string& label, const std::string& body) {
  return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
                     escaped_html(label), body);
}

std::string html_table(const std::string& label, const std::vector<std::string>& heads,
                       const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  std::string table = "<table><thead><tr>";
  for (const std::string& head : heads) table += fmt::format("<th scope=\"col\">{}</th>", escaped_html(head));
  table += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    table += fmt::format("<tr><th scope=\"row\">{}</th>", row.front());
    for (std::size_t i = 1; i < row.size(); ++i) table += fmt::format("<td>{}</td>", row[i]);
    table += "</tr>\n";
  }
  return html_scroll(label, table + "</tbody></table>");
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
      "<header>{}</header>\n<nav aria-label=\"Parts\"><ul>{}</ul></nav>\n<main id=\"main\" "
      "tabindex=\"-1\">\n{}</main></body></html>\n",
      escaped_html(title), kHtmlStyle, header, nav, body);
}

}  // namespace plumbline

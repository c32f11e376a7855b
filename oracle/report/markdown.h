#pragma once

#include "oracle/report/report_json.h"

#include <string>

namespace plumbline {

/// The report as GitHub Markdown: the verdict, the table, what went wrong, what was not executed. Made from
/// the JSON alone, so that it can be made again from a stored report.
std::string markdown_from_json(const Json& report);

/// `text` inside a table cell or a list item.
std::string escaped_markdown(const std::string& text);

}  // namespace plumbline

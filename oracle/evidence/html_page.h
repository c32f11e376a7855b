#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// `text` as HTML character data or attribute value.
std::string escaped_html(std::string_view text);

/// A section with a heading that can be linked to; empty where `body` is.
std::string html_section(const std::string& id, const std::string& title, const std::string& about,
                         const std::string& body);

/// A part of a section that folds away.
std::string html_fold(const std::string& title, const std::string& body, bool open);

/// What may be wider than the page, in a region that scrolls by itself, with the keyboard too.
std::string html_scroll(const std::string& label, const std::string& body);

/// A table in such a region; the first cell of each row is its heading. `cells` are HTML.
std::string html_table(const std::string& label, const std::vector<std::string>& heads,
                       const std::vector<std::vector<std::string>>& rows);

/// The whole page: everything in one file, no script, nothing loaded.
std::string html_page(const std::string& title, const std::string& header,
                      const std::vector<std::pair<std::string, std::string>>& links, const std::string& body);

}  // namespace plumbline

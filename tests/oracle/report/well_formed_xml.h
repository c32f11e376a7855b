#pragma once

#include <regex>
#include <string>
#include <vector>

namespace plumbline {

/// What keeps `xml` from being well-formed, for the subset the reports use (elements, double-quoted
/// attributes, the predefined entities and character references); empty when it is.
inline std::string fault_in_xml(const std::string& xml) {
  for (const unsigned char c : xml)
    if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') return "a control character";
  static const std::regex tag(R"(^<(/?)([A-Za-z]+)((\s+[A-Za-z]+="[^"<]*")*)\s*(/?)>)");
  static const std::regex entity(R"(^&(amp|lt|gt|quot|apos|#[0-9]+);)");
  std::vector<std::string> open;
  std::size_t at = xml.rfind("<?xml", 0) == 0 ? xml.find("?>") + 2 : 0;
  int roots = 0;
  while (at < xml.size()) {
    std::smatch match;
    const auto from = xml.begin() + static_cast<std::ptrdiff_t>(at);
    if (xml[at] == '&') {
      if (!std::regex_search(from, xml.end(), match, entity)) return "a bare & at " + std::to_string(at);
    } else if (xml[at] == '<') {
      const auto end = xml.find('>', at);
      if (end == std::string::npos) return "an open tag at the end";
      if (!std::regex_search(from, xml.begin() + static_cast<std::ptrdiff_t>(end) + 1, match, tag))
        return "a bad tag at " + std::to_string(at);
      const std::string attributes = match[3];
      for (auto amp = attributes.find('&'); amp != std::string::npos; amp = attributes.find('&', amp + 1))
        if (!std::regex_search(attributes.begin() + static_cast<std::ptrdiff_t>(amp), attributes.end(),
                               entity))
          return "a bare & in an attribute";
      if (match[1].length() != 0) {
        if (open.empty() || open.back() != match[2]) return "an unmatched </" + match[2].str() + ">";
        open.pop_back();
      } else {
        if (open.empty()) ++roots;
        if (match[5].length() == 0) open.push_back(match[2]);
      }
    } else {
      ++at;
      continue;
    }
    at += static_cast<std::size_t>(match.length());
  }
  if (!open.empty()) return "an unclosed <" + open.back() + ">";
  return roots == 1 ? "" : "not one root element";
}

}  // namespace plumbline

#include "oracle/run/repro.h"

#include "oracle/report/machine.h"

#include <fmt/format.h>

namespace plumbline {

std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string repro_line(const std::vector<std::string>& words, const std::string& stands_for,
                       const RanOn& ran_on) {
  std::string line;
  for (const std::string& word : words) line += shell_quoted(word) + " ";
  line += fmt::format("# {}, route {}, device {}, build {}", stands_for, ran_on.route, ran_on.device,
                      build_name());
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line;
}

std::string exact_filter(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code >= 0x7F) {
      pattern += R"([\s\S])";
      continue;
    }
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

}  // namespace plumbline

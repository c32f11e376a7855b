#include "gpu/dispatch/policy_dialect.h"

#include <charconv>
#include <string>

namespace plumbline::dispatch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view strip_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<std::int64_t> parse_python_int(std::string_view text) {
  text = strip_blanks(text);
  std::string digits;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') digits += '-';
    text.remove_prefix(1);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digits += text[i];
    } else if (text[i] != '_' || i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) ||
               !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_dialect(Dialect dialect, std::string_view text) {
  switch (dialect) {
    case Dialect::exact_one:
      return text == "1" ? 1 : 0;
    case Dialect::word_split:
      return text == "split" ? 1 : 0;
    case Dialect::integer:
      return parse_python_int(text);
    case Dialect::bool_of_integer: {
      const std::optional<std::int64_t> value = parse_python_int(text);
      if (!value) return std::nullopt;
      return *value != 0 ? 1 : 0;
    }
  }
  return std::nullopt;
}

bool is_boolean(Dialect dialect) { return dialect != Dialect::integer; }

}  // namespace plumbline::dispatch

#include "oracle/cli/terminal.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace plumbline {

bool wants_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  return ::isatty(::fileno(stream)) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

Progress::Progress() : shown_(::isatty(::fileno(stderr)) == 1) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(std::size_t number, std::size_t of, const std::string& what) const {
  if (shown_) fmt::print(stderr, "\r\x1b[K[{}/{}] {}", number, of, what);
}

}  // namespace plumbline

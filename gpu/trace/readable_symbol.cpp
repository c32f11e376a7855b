#include "gpu/trace/kernel_witness.h"

#include <cstdlib>
#include <string_view>

#include <cxxabi.h>

namespace plumbline::gpu {

std::string readable_symbol(const char* symbol) {
  if (symbol == nullptr) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  const std::string_view text = status == 0 ? demangled.get() : symbol;
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;  // of template brackets, whose arguments may hold parentheses
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, kAnonymous.size()) == kAnonymous) {
      at += kAnonymous.size() - 1;
    } else if (text[at] == '<') {
      ++depth;
    } else if (text[at] == '>') {
      --depth;
    } else if (text[at] == '(' && depth == 0) {
      return std::string(text.substr(0, at));
    }
  }
  return std::string(text);
}

}  // namespace plumbline::gpu

#pragma once

#include "fixtures/capture/utf8.h"
#include "fixtures/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

/// What the fuzzing engine calls with each input; returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace plumbline::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A finding unless it holds: the engine keeps the input of a program that aborts.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// Runs `read`; whether it refused its input with a `Refusal`. Any other exception ends the program: a
/// finding, as is an InputError that is no printable line.
template <typename Refusal, typename Read>
bool refuses(const Read& read) {
  try {
    read();
  } catch (const Refusal& refusal) {
    const std::string line = refusal.what();
    if constexpr (std::is_same_v<Refusal, InputError>)
      require(!line.empty() && printable(line, std::string::npos) == line, "no printable line: " + line);
    return true;
  }
  return false;
}

}  // namespace plumbline::fuzz

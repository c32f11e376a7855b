#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline::dispatch {

/// 64-bit FNV-1a of the bytes, finished with splitmix64's mixer so that near texts differ in all bits.
inline std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

}  // namespace plumbline::dispatch

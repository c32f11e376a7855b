#pragma once

#include <cstdint>

namespace plumbline::dispatch {

/// Up to so many score columns select.two_kernel writes the scores of score.hopper and reads them back with
/// the exact top-k, which is then faster than selecting from lists, as measured.
inline constexpr std::int64_t kReadBackColumns = 49152;

}  // namespace plumbline::dispatch

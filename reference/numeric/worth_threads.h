#pragma once

#include <cstdint>

namespace plumbline {

// Below this, waking threads and waiting for the last of them takes longer than the work; where other programs
// keep the cores busy, many times longer. Results never depend on it.

/// Whether a matrix product of so many multiply-adds is worth several threads.
constexpr bool worth_threads_products(std::int64_t multiply_adds) { return multiply_adds >= 1 << 19; }
/// Whether so many elements, each of several operations, are.
constexpr bool worth_threads_elements(std::int64_t elements) { return elements >= 1 << 13; }

}  // namespace plumbline

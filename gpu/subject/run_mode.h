#pragma once

#include <cstdint>

namespace plumbline::gpu {

/// How a subject runs its kernels. None of it may change a bit of the answer.
enum class RunMode : std::uint8_t {
  plain,
  first_of_two_streams,   ///< the same question on two streams at once: the answer of the first
  second_of_two_streams,  ///< and of the second
  graph_replay,           ///< captured while every row saw half of its blocks, then replayed
};

/// Times a call of the mode is carried out, as its trace shows it.
inline constexpr int times_run(RunMode mode) {
  constexpr int kRounds = 4, kStreams = 2;
  const bool two = mode == RunMode::first_of_two_streams || mode == RunMode::second_of_two_streams;
  return two ? kRounds * kStreams : 1;
}

}  // namespace plumbline::gpu

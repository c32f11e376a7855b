#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// What went into a check and what came out, so that runs on different machines can be held against each
/// other. SHA-256 in hexadecimal; empty where there is nothing of the kind.
struct Answers {
  std::string inputs;     ///< of every tensor asked about, with types and shapes; of a capture: of its file
  std::string selection;  ///< of the selected blocks or tokens
  std::string scores;     ///< of the float32 scores selected on, visible ones alone
  /// Bits of the scores at places that the shape alone decides, at most kSamples of the first question.
  std::vector<std::uint32_t> score_sample;

  static constexpr std::size_t kSamples = 16;
};

}  // namespace plumbline

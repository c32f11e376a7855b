#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace plumbline {

/// Result of the O(n) proof that a claimed row is the canonical selection; `fault` says the first thing that is
/// wrong, with its blocks.
struct ProofResult {
  bool proven = false;
  std::string fault;
};

/// Proves without sorting that `claimed` (min(k, visible) blocks) is the canonical answer: unique, in range,
/// ascending, right count; with t the worst claimed score, no outsider beats t, and every outsider equal to t has a
/// higher number than every claimed block equal to t.
/// `compare(a, b)` orders the scores of two blocks: negative when a ranks below b, 0 when they tie, positive above.
/// It must be a total preorder; it is called O(visible) times.
ProofResult prove_canonical(std::span<const std::int32_t> claimed, std::int64_t visible, std::int32_t k,
                            const std::function<int(std::int64_t a, std::int64_t b)>& compare);

}  // namespace plumbline

#pragma once

#include <cstdint>
#include <span>

namespace plumbline {

// The float32 filter computes, for every row and key, an upper bound U of the exact score s, and from it a
// lower bound, by forward error analysis (u = 2^-24, γ_n = n·u/(1 − n·u); Higham 2002, §3.1). It assumes
// IEEE-754 float32 with round-to-nearest and gradual underflow; FMA or not and the order of head additions do
// not matter.
//
// Scaling. Query heads and keys are scaled by powers of two such that Σ_h‖q_h‖ <= 1 and every ‖k‖ <= 1:
// nothing overflows. Scaling rounds only numbers that become subnormal, by at most 2^-150 each. Norms. N_h·M
// below stands for ‖q_h‖·‖k‖, both rounded up and, where not zero, raised to at least 2^-50. Cauchy–Schwarz:
// Σ_d|q_h,d·k_d| <= N_h·M.
//
// Head h accumulates acc_h = fl(e_h + Σ_d q_h,d·k_d) with the slack e_h = fl(c_h·M), c_h = g·N_h rounded up.
// With X_h the exact dot product, dim + 1 roundings at most touch a term, and underflow and scaling add less
// than dim·2^-147 (2^-23 of e_h, thanks to the floor of the norms):
//   |acc_h − (X_h + e_h)| <= γ_{dim+1}·(N_h·M + e_h) + dim·2^-147.
// The relu-sum over H heads rounds at most H times: fl(Σ max(0, acc_h)) >= (1 − γ_H)·Σ max(0, acc_h), so U >=
// s if acc_h >= X_h + γ_H/(1 − γ_H)·N_h·M for every head. Both hold for
//   g = γ_n/(1 − γ_n)² · (1 + 2^-8),  n = dim + H + 8,
// where the last factor pays for underflow and for the roundings of c_h and e_h. A head whose query or key is
// zero has e_h = acc_h = 0 exactly. Therefore
//   U = 0  proves  s = 0;
//   U <= (1 + γ_H)·(s + 2·Σ e_h) <= s + 3.3·Σ e_h, as γ_H·s <= Σ e_h and γ_H <= 1/7; so
//   L = fl(U − fl(4·Σ c_h·M)) <= s, the spare 0.7·Σ e_h >= 7·u·Σ N_h·M pays for the two roundings.

/// Most products of one score: n·u stays below 1/7.
constexpr std::int64_t kFilterMaxProducts = std::int64_t{1} << 21;

/// g of the derivation.
double slack_factor(std::int64_t dim, std::int64_t heads);

/// ‖values‖ times at least 1 + 2^-21 (0 for zeros): never below, also after one rounding to float32.
double norm_above(std::span<const float> values);

/// The norm used in bounds: `scaled_norm`, but at least 2^-50 unless it is zero.
float bounding_norm(double scaled_norm);

/// The least e with value < 2^e; 0 for zero.
int exponent_above(double value);

}  // namespace plumbline

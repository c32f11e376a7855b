#pragma once

#include "reference/model/bounded.h"
#include "reference/model/paged_attention.h"
#include "reference/model/rounding_profile.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// How an engine computes sparse attention, as far as its error depends on it. What it leaves open is any
/// order of additions, any tiles of at least 16 tokens and any split into at most `most_splits` parts.
struct AttentionErrorModel {
  RoundingProfile profile;
  DType storage = DType::bfloat16;
  /// What a term of a dot product may lose on its way through the sum, in units of 2^-24 of Σ|products|:
  /// 1 for float32 additions, more for units that align and truncate.
  double units_per_term = 1;
  std::int64_t most_splits = 64;
  /// P enters P·V as the sum of two numbers of the storage type in place of one.
  bool probability_pairs = false;

  /// One line: the formula.
  std::string derivation() const;
};

/// An engine of a rounding profile on a device of this capability ("7.5"); none: float32 additions.
AttentionErrorModel attention_error_model(const RoundingProfile& profile, DType storage,
                                          const std::optional<std::string>& capability);
/// The kernels of gpu/attention: float32 scores and normaliser, P as pairs, a gate in float32.
AttentionErrorModel device_attention_model(DType storage, const std::optional<std::string>& capability);

/// One head of a row: what any engine of the model must give.
struct BoundedHead {
  std::vector<Bounded> output;  ///< [dim] before storage and gate
  Bounded lse;
};

/// `query` [dim]; keys and values are columns [first, first + dim) of the row's. Needs at least one token and
/// finite numbers. Derivation, with u = 2^-24 and γ_n = n·u/(1 − n·u):
///
/// scores. s_i = scale·q·k_i is off by δ_i ≤ scale·γ_{κd}·Σ|q·k_i| + 4u·|s_i| and the profile's roundings of
/// scores or queries, κ being units_per_term.
/// weights. p_i = e^(s_i − max). Subtractions along the running maxima sum to u·(max − s_i), as the maxima
/// rise; each rescaling adds an exponential and a product; the merge of splits the rounding of a log-sum-exp.
/// All of it multiplies p_i by 1 + θ_i, |θ_i| ≤ η_i, alike in Σp·v and Σp. Since Σp_i·(v_i − o) = 0,
/// |Σp(1+θ)v / Σp(1+θ) − o| ≤ Σp_i·η_i·|v_i − o| / Σp_i(1 − η_i).
/// sums. What only one of the two sums meets: P's storage (u_P, and half its smallest number), γ_{κn + R} of
/// Σp|v| for the products and γ_{n + R}·|o| for the normaliser, R rescalings and merges.
BoundedHead bounded_head(std::span<const double> query, const AttendedRow& row, std::int64_t first,
                         double scale, double v_scale, const AttentionErrorModel& model);

/// One row as it is stored: output [heads, dim] behind storage and gate, and lse [1, heads].
struct BoundedRow {
  Rows<Bounded> output, lse;
};

BoundedRow bounded_row(const AttentionInputs& inputs, std::int64_t row, const AttendedRow& attended,
                       const AttentionErrorModel& model);

}  // namespace plumbline

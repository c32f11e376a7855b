#pragma once

#include "oracle/judge/attention_bound.h"
#include "oracle/replay/tap_report.h"
#include "oracle/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// How the output and the log-sum-exp of one case compare with exact attention over the case's own selection.
struct AttentionReport {
  std::string case_name;
  std::string subject;  ///< "recorded", "cuda:attention.splitk"
  std::string profile, derivation;
  std::int64_t rows = 0, rows_without_tokens = 0, rows_not_finite = 0;
  std::int64_t empty_rows_wrong = 0;  ///< without tokens, and yet not 0, or a log-sum-exp not −infinity
  std::optional<TapReport> output;    ///< over the rows with tokens
  std::optional<TapReport> lse;       ///< empty where the subject gave none
  std::vector<std::string> witnesses;
  Status status = Status::pass;
  std::string reason;
};

/// Judges `outputs` element by element within the model's bound (see attention_bound.h). A row whose attended
/// numbers or gate are not all finite has no exact attention, and one whose bound is not finite (a scale that
/// no exponential bears) has nothing to be held to: neither is judged. VACUOUS where no row is left. Throws
/// InputError for outputs of another shape.
AttentionReport judge_attention(const AttentionInputs& inputs, const AttentionOutputs& outputs,
                                const AttentionErrorModel& model);

}  // namespace plumbline

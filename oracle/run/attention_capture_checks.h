#pragma once

#include "fixtures/attention_subject.h"
#include "oracle/judge/attention_bound.h"
#include "oracle/run/check.h"
#include "oracle/run/name_filter.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What is put to the cases of a kind D capture.
struct AttentionTrial {
  std::shared_ptr<AttentionSubject> subject;  ///< null: the capture's own record
  /// Whose roundings bound it; null: the case's own `profile`, else vllm's (an online softmax in any tiles).
  const RoundingProfile* profile = nullptr;
  bool device = false;                    ///< our kernels: device_attention_model
  std::optional<std::string> capability;  ///< of the device; a record's is the capture's
};

/// The judgements of every case of a capture that the filter takes ("attention/0000"). Throws InputError.
std::vector<AttentionReport> judge_attention_capture(const std::string& path, const AttentionTrial& trial,
                                                     const NameFilter& filter = {});

/// One check per case of the file, "attention/0000" or, where several subjects are on trial,
/// "attention/0000/SUBJECT". `words` are the command line of the repro lines, without a filter.
std::vector<PlannedCheck> attention_capture_checks(const std::string& path,
                                                   const std::vector<AttentionTrial>& trials,
                                                   const std::vector<std::string>& words,
                                                   const NameFilter& filter);

}  // namespace plumbline

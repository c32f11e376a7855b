#pragma once

#include "fixtures/capture/capture_info.h"
#include "fixtures/subject.h"
#include "oracle/report/run_report.h"
#include "oracle/run/name_filter.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline {

struct JudgeCaptureOptions {
  std::optional<Contract> contract;         ///< absent: the file's, else within_error
  std::optional<Contract> second_contract;  ///< a subject's same answers, judged once more
  std::string tag;                          ///< judge only this selection; empty: all
  NameFilter filter;                        ///< on "select/0000/gpu"
  SelectSubject* subject = nullptr;  ///< null: what the file recorded, else this one on the file's inputs
  std::optional<std::string> capability;  ///< of what `subject` runs on; absent: the file's
  int threads = 0;                        ///< 0: OMP_NUM_THREADS
};

/// Judges the selections of a kind B or C capture. Kind B: one report per blocks_<tag>, on scores_<tag> or
/// else the only scores_* there is. Kind C: "tokens" (the recorded tokens) and, where recorded, "blocks".
/// Throws InputError for a file that cannot be used, one of another kind, and a tag that is not there.
std::vector<JudgedSelection> judge_capture(const std::string& path, const JudgeCaptureOptions& options);

/// Names "select/0000/gpu" of what judge_capture would judge.
std::vector<std::string> list_selections(const std::string& path, const JudgeCaptureOptions& options);

}  // namespace plumbline

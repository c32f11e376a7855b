#pragma once

#include "fixtures/capture/paged_capture.h"
#include "fixtures/capture/select_capture.h"
#include "fixtures/subject.h"
#include "oracle/report/run_report.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline {

// Judgements of one case of a capture or of a generator. Planes of a capture are streamed.

/// blocks_<tag> as recorded, on scores_<tag>, else on the only scores_* there is.
JudgedSelection judge_recorded(const SelectCase& one, const SelectGeometry& geometry,
                               const RowStream& selection, const JudgeOptions& options);

/// What `subject` selects on the case's query and key or, where it has none, on its only recorded scores: one
/// answer, judged in every way that `ways` says. Throws InputError where there is neither.
std::vector<JudgedSelection> judge_subject(const SelectCase& one, const SelectGeometry& geometry,
                                           SelectSubject& subject, const std::vector<JudgeOptions>& ways);

/// Outputs a subject gave for `inputs`. Judged on the scores it returned, else on those it was given.
JudgedSelection judge_outputs(const SelectInputs& inputs, const SelectOutputs& outputs,
                              const JudgeOptions& options);

/// Kind C: the tokens, and the blocks where there are any.
struct PagedJudgement {
  JudgedSelection tokens;
  std::optional<JudgedSelection> blocks;
};
PagedJudgement judge_recorded(const PagedSelectCase& one, const SelectGeometry& geometry,
                              const JudgeOptions& options);
std::vector<PagedJudgement> judge_subject(const PagedSelectCase& one, const SelectGeometry& geometry,
                                          SelectSubject& subject, const std::vector<JudgeOptions>& ways);
PagedJudgement judge_outputs(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs,
                             const JudgeOptions& options);

}  // namespace plumbline

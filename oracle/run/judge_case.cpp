#include "oracle/run/judge_case.h"

#include "fixtures/error.h"
#include "oracle/judge/judge_tokens.h"

#include <cstring>
#include <functional>

namespace plumbline {
namespace {

template <typename T>
using Rows = std::function<void(std::int64_t first, std::int64_t count, std::span<T> out)>;

template <typename T>
Rows<T> rows_of(const RowStream& stream) {
  return [&stream](std::int64_t first, std::int64_t count, std::span<T> out) {
    stream.read(first, count, std::as_writable_bytes(out));
  };
}

template <typename T>
Rows<T> rows_of(const Tensor& tensor) {
  return [values = tensor.as<T>(), width = tensor.extent(1)](std::int64_t first, std::int64_t count,
                                                             std::span<T> out) {
    const auto rows =
        values.subspan(static_cast<std::size_t>(first * width), static_cast<std::size_t>(count * width));
    std::copy(rows.begin(), rows.end(), out.begin());
  };
}

// Views may be strided; the last axis of a score plane too.
Rows<float> rows_of(const TensorView& view) {
  return [&view](std::int64_t first, std::int64_t count, std::span<float> out) {
    std::size_t at = 0;
    for (std::int64_t row = first; row < first + count; ++row)
      for (std::int64_t column = 0; column < view.extent(1); ++column)
        std::memcpy(&out[at++], view.at(row, column), sizeof(float));
  };
}

const RowStream* scores_for(const SelectCase& one, const std::string& tag) {
  for (const RowStream& scores : one.scores)
    if (scores.tag() == tag) return &scores;
  return one.scores.size() == 1 ? &one.scores.front() : nullptr;
}

}  // namespace

JudgedSelection judge_recorded(const SelectCase& one, const SelectGeometry& geometry,
                               const RowStream& selection, const JudgeOptions& options) {
  const SelectInputs inputs = one.inputs(geometry);
  const RowStream* scores = scores_for(one, selection.tag());
  SelectionClaim claim;
  claim.inputs = &inputs;
  claim.claimed = rows_of<std::int32_t>(selection);
  if (scores != nullptr) claim.scores = rows_of<float>(*scores);
  JudgedSelection judged{judge_selection(claim, options)};
  judged.case_name = one.name;
  judged.tag = selection.tag();
  if (scores != nullptr) judged.scores_tag = scores->tag();
  return judged;
}

JudgedSelection judge_outputs(const SelectInputs& inputs, const SelectOutputs& outputs,
                              const JudgeOptions& options) {
  SelectionClaim claim;
  claim.inputs = &inputs;
  claim.claimed = rows_of<std::int32_t>(outputs.blocks);
  if (outputs.scores) {
    claim.scores = rows_of<float>(*outputs.scores);
  } else if (inputs.scores) {
    claim.scores = rows_of(*inputs.scores);
  }
  JudgedSelection judged{judge_selection(claim, options)};
  if (claim.scores) judged.scores_tag = outputs.scores ? "own" : "given";
  return judged;
}

std::vector<JudgedSelection> judge_subject(const SelectCase& one, const SelectGeometry& geometry,
                                           SelectSubject& subject, const std::vector<JudgeOptions>& ways) {
  SelectInputs inputs = one.inputs(geometry);
  Tensor given;
  if (!inputs.index_query) {
    if (one.scores.size() != 1)
      throw InputError(one.name + ": expected index_query and index_key, or one scores_*, to select on");
    given = one.scores.front().read_all();
    inputs.scores = given.view();
  }
  const SelectOutputs outputs = subject.select(inputs);
  std::vector<JudgedSelection> judgements;
  for (const JudgeOptions& options : ways) {
    JudgedSelection& judged = judgements.emplace_back(judge_outputs(inputs, outputs, options));
    judged.case_name = one.name;
    judged.tag = subject.name();
    if (inputs.scores && judged.scores_tag == "given") judged.scores_tag = one.scores.front().tag();
  }
  return judgements;
}

namespace {

PagedJudgement judged_tokens(const TokenClaim& claim, const JudgeOptions& options) {
  TokenReport report = judge_tokens(claim, options);
  PagedJudgement judgement{JudgedSelection{std::move(report.tokens)}, std::nullopt};
  judgement.tokens.token_faults = report.faults;
  judgement.tokens.padded_rows = report.padded_rows;
  if (report.blocks) judgement.blocks = JudgedSelection{std::move(*report.blocks)};
  return judgement;
}

void name_case(PagedJudgement& judgement, const std::string& name) {
  judgement.tokens.case_name = name;
  if (judgement.blocks) judgement.blocks->case_name = name;
}

}  // namespace

PagedJudgement judge_recorded(const PagedSelectCase& one, const SelectGeometry& geometry,
                              const JudgeOptions& options) {
  const PagedSelectInputs inputs = one.inputs(geometry);
  TokenClaim claim;
  claim.inputs = &inputs;
  claim.selected_tokens = rows_of<std::int32_t>(*one.selected_tokens);
  if (one.selected_blocks) claim.selected_blocks = rows_of<std::int32_t>(*one.selected_blocks);
  if (one.block_scores) {
    claim.block_scores = rows_of<float>(*one.block_scores);
    claim.score_blocks = one.block_scores->shape()[1];
  }
  PagedJudgement judgement = judged_tokens(claim, options);
  name_case(judgement, one.name);
  return judgement;
}

PagedJudgement judge_outputs(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs,
                             const JudgeOptions& options) {
  TokenClaim claim;
  claim.inputs = &inputs;
  claim.selected_tokens = rows_of<std::int32_t>(outputs.selected_tokens);
  if (outputs.selected_blocks) claim.selected_blocks = rows_of<std::int32_t>(*outputs.selected_blocks);
  if (outputs.block_scores) {
    claim.block_scores = rows_of<float>(*outputs.block_scores);
    claim.score_blocks = outputs.block_scores->extent(1);
  }
  return judged_tokens(claim, options);
}

std::vector<PagedJudgement> judge_subject(const PagedSelectCase& one, const SelectGeometry& geometry,
                                          SelectSubject& subject, const std::vector<JudgeOptions>& ways) {
  const PagedSelectInputs inputs = one.inputs(geometry);
  const PagedSelectOutputs outputs = subject.select_paged(inputs);
  std::vector<PagedJudgement> judgements;
  for (const JudgeOptions& options : ways)
    name_case(judgements.emplace_back(judge_outputs(inputs, outputs, options)), one.name);
  return judgements;
}

}  // namespace plumbline

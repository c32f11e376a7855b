#include "oracle/run/judge_capture.h"

#include "fixtures/capture/paged_capture.h"
#include "fixtures/capture/select_capture.h"
#include "fixtures/error.h"
#include "oracle/run/judge_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

Contract contract_of(const CaptureInfo& info, const std::optional<Contract>& wanted) {
  if (wanted) return *wanted;
  if (!info.contract) return Contract::within_error;
  const std::optional<Contract> declared = contract_from(*info.contract);
  if (!declared)
    throw InputError(info.path, "contract", "within_error, set_exact, tie_rule_set or canonical",
                     *info.contract);
  return *declared;
}

// Walks the selections of a capture: their names always, their judgements where `judged` is given.
class Walk {
 public:
  Walk(const std::string& path, const JudgeCaptureOptions& options, std::vector<JudgedSelection>* judged)
      : options_(options), judged_(judged), info_(read_capture_info(path)) {
    if (info_.kind == CaptureKind::select) {
      select();
    } else if (info_.kind == CaptureKind::select_paged) {
      paged();
    } else {
      throw InputError(path, "model_type", "qsa_select or qsa_select_paged", info_.model_type);
    }
    if (!options_.tag.empty() && !tag_found_)
      throw InputError(path, "", fmt::format("a selection tagged '{}'", options_.tag),
                       tags_.empty() ? "none" : fmt::format("{}", fmt::join(tags_, ", ")));
  }
  std::vector<std::string> names;

 private:
  bool wanted(const std::string& case_name, const std::string& tag) {
    tags_.push_back(tag);
    if (!options_.tag.empty() && tag != options_.tag) return false;
    tag_found_ = true;
    const std::string name = case_name + "/" + tag;
    if (!options_.filter.matches(name)) return false;
    names.push_back(name);
    return judged_ != nullptr;
  }

  JudgeOptions judge_options(const SelectGeometry& geometry) {
    JudgeOptions judge;
    judge.contract = contract_of(info_, options_.contract);
    error_model_ = error_model_for(options_.capability ? options_.capability : info_.capability,
                                   geometry.index_heads, geometry.index_head_dim);
    judge.error_model = error_model_.get();
    judge.threads = options_.threads;
    return judge;
  }

  std::vector<JudgeOptions> subject_ways(const JudgeOptions& judge) const {
    std::vector<JudgeOptions> ways = {judge};
    if (options_.second_contract) {
      ways.push_back(judge);
      ways.back().contract = *options_.second_contract;
    }
    return ways;
  }

  void select() {
    const SelectCapture capture = read_select_capture(info_.path);
    const JudgeOptions judge = judge_options(capture.geometry);
    for (const SelectCase& one : capture.cases) {
      if (options_.subject != nullptr) {
        if (wanted(one.name, options_.subject->name()))
          for (JudgedSelection& judged :
               judge_subject(one, capture.geometry, *options_.subject, subject_ways(judge)))
            judged_->push_back(std::move(judged));
        continue;
      }
      for (const RowStream& selection : one.selections)
        if (wanted(one.name, selection.tag()))
          judged_->push_back(judge_recorded(one, capture.geometry, selection, judge));
    }
  }

  void paged() {
    const PagedSelectCapture capture = read_paged_capture(info_.path);
    const JudgeOptions judge = judge_options(capture.geometry);
    for (const PagedSelectCase& one : capture.cases) {
      const bool recorded = options_.subject == nullptr;
      if (recorded && !one.selected_tokens) continue;
      const bool tokens = wanted(one.name, "tokens");
      const bool blocks = (!recorded || one.selected_blocks) && wanted(one.name, "blocks");
      if (!tokens && !blocks) continue;
      std::vector<PagedJudgement> judgements;
      if (recorded) {
        judgements.push_back(judge_recorded(one, capture.geometry, judge));
      } else {
        judgements = judge_subject(one, capture.geometry, *options_.subject, subject_ways(judge));
      }
      for (PagedJudgement& both : judgements) {
        if (tokens) judged_->push_back(std::move(both.tokens));
        if (blocks && both.blocks) judged_->push_back(std::move(*both.blocks));
      }
    }
  }

  const JudgeCaptureOptions& options_;
  std::vector<JudgedSelection>* judged_;
  CaptureInfo info_;
  std::unique_ptr<ErrorModel> error_model_;
  std::vector<std::string> tags_;
  bool tag_found_ = false;
};

}  // namespace

std::vector<JudgedSelection> judge_capture(const std::string& path, const JudgeCaptureOptions& options) {
  std::vector<JudgedSelection> judged;
  const Walk walk(path, options, &judged);
  return judged;
}

std::vector<std::string> list_selections(const std::string& path, const JudgeCaptureOptions& options) {
  return Walk(path, options, nullptr).names;
}

}  // namespace plumbline

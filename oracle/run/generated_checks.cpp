#include "oracle/run/generated_checks.h"

#include "fixtures/cases/generate.h"
#include "oracle/run/answer_digest.h"
#include "oracle/run/family_cases.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/prove_paged.h"
#include "oracle/run/repro.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

// The reference ranks by the rule, so nothing but the canonical answer will do.
JudgeOptions canonical(int threads) {
  JudgeOptions options;
  options.contract = Contract::canonical;
  options.threads = threads;
  return options;
}

void check_select(const CaseSpec& spec, SelectSubject& subject, int threads, CheckResult& check) {
  const GeneratedSelect generated = generate_select(spec);
  const SelectInputs inputs = generated.inputs();
  SelectOutputs outputs = subject.select(inputs);
  check.answers = answers_of(inputs, outputs);
  check.proof = judge_reference(inputs, outputs, threads);
  // Returned scores serve rows without exact score, which only the proof can judge; elsewhere they are
  // rounded and may tie where exact scores do not.
  if (!inputs.scores) outputs.scores.reset();
  check.selections.push_back(judge_outputs(inputs, outputs, canonical(threads)));
}

void check_paged(const CaseSpec& spec, SelectSubject& subject, int threads, CheckResult& check) {
  const GeneratedPaged generated = generate_paged(spec);
  const PagedSelectInputs inputs = generated.inputs();
  PagedSelectOutputs outputs = subject.select_paged(inputs);
  check.answers = answers_of(inputs, outputs);
  check.proof = prove_paged(inputs, outputs, threads);
  outputs.block_scores.reset();
  check.selections.push_back(judge_outputs(inputs, outputs, canonical(threads)).tokens);
}

PlannedCheck plan(const std::string& name, const CaseSpec& spec,
                  const std::shared_ptr<SelectSubject>& subject, std::uint64_t seed_shift, int threads) {
  PlannedCheck check;
  check.name = name;
  check.kind = CheckKind::generated;
  check.source = format_case(spec);
  check.subject = subject->name();
  std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(name)};
  if (seed_shift != 0) words.insert(words.end(), {"--seed", std::to_string(seed_shift)});
  check.repro = repro_line(words, fmt::format("case {}, geometry seed {}, data seed {}", check.source,
                                              spec.geometry_seed, spec.seed));
  check.run = [spec, subject, threads](CheckResult& result) {
    if (spec.kind == CaseSpec::Kind::paged) {
      check_paged(spec, *subject, threads, result);
    } else {
      check_select(spec, *subject, threads, result);
    }
    for (JudgedSelection& selection : result.selections) {
      selection.case_name = result.source;
      selection.tag = result.subject;
    }
    conclude(result);
    if (result.status == Status::pass && result.proof->rows_unproven > 0)
      result.reason = fmt::format("{} rows without exact score are not proven", result.proof->rows_unproven);
  };
  return check;
}

}  // namespace

std::vector<PlannedCheck> generated_checks(std::shared_ptr<SelectSubject> subject, std::uint64_t seed_shift,
                                           int threads) {
  std::vector<PlannedCheck> checks;
  for (const FamilyCase& one : family_cases(seed_shift))
    checks.push_back(plan(one.name, one.spec, subject, seed_shift, threads));
  return checks;
}

}  // namespace plumbline

#include "oracle/run/route_trial.h"

#include "fixtures/cases/generate.h"
#include "oracle/judge/error_model.h"
#include "oracle/run/judge_capture.h"
#include "oracle/run/judge_case.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kAnswers = 5;

void miss(const RouteEvidence& evidence, Status& status, std::string& reason) {
  if (evidence.misses.empty() || (status != Status::pass && status != Status::vacuous)) return;
  status = Status::route_missed;
  reason = evidence.misses.front();
  const auto more = static_cast<std::int64_t>(evidence.misses.size()) - 1 + evidence.misses_left_out;
  if (more > 0) reason += fmt::format(" (and {} more)", more);
}

}  // namespace

void conclude_route(const RouteEvidence& evidence, CheckResult& check) {
  check.routes = evidence;
  miss(evidence, check.status, check.reason);
}

void miss_route(const RouteEvidence& evidence, JudgedSelection& selection) {
  miss(evidence, selection.status, selection.reason);
}

RouteTrial::RouteTrial(const DeviceSubjects& device, const DeviceRoute& route, int threads)
    : route_(route),
      capability_(device.capability),
      threads_(threads),
      watched_(watched_route(device, route)),
      repeated_(watched_.subject, kAnswers) {}

void RouteTrial::judge(const CaseSpec& spec, CheckResult& check) {
  const auto error_model =
      error_model_for(capability_, spec.geometry.index_heads, spec.geometry.index_head_dim);
  JudgeOptions options;
  options.threads = threads_;
  options.error_model = error_model.get();
  const auto with = [&](Contract contract) {
    options.contract = contract;
    return options;
  };
  if (spec.kind == CaseSpec::Kind::paged) {
    const GeneratedPaged generated = generate_paged(spec);
    const PagedSelectInputs inputs = generated.inputs();
    const PagedSelectOutputs outputs = repeated_.select_paged(inputs);
    for (const Contract contract : {route_.contract, Contract::within_error}) {
      PagedJudgement both = judge_outputs(inputs, outputs, with(contract));
      check.selections.push_back(std::move(both.tokens));
      if (both.blocks) check.selections.push_back(std::move(*both.blocks));
    }
  } else {
    const GeneratedSelect generated = generate_select(spec);
    const SelectInputs inputs = generated.inputs();
    const SelectOutputs outputs = repeated_.select(inputs);
    check.selections.push_back(judge_outputs(inputs, outputs, with(route_.contract)));
    // Given scores are not this route's to be measured against exact ones.
    if (outputs.scores || !inputs.scores)
      check.selections.push_back(judge_outputs(inputs, outputs, with(Contract::within_error)));
  }
  for (JudgedSelection& selection : check.selections) {
    selection.case_name = format_case(spec);
    selection.tag = route_.name;
  }
  finish(check);
}

void RouteTrial::judge(const std::string& path, CheckResult& check) {
  JudgeCaptureOptions options;
  options.subject = &repeated_;
  options.capability = capability_;
  options.threads = threads_;
  options.contract = route_.contract;
  options.second_contract = Contract::within_error;
  check.selections = judge_capture(path, options);
  finish(check);
}

// One judgement may have nothing to say (all exact scores tie, no exact score) where the other has.
void RouteTrial::finish(CheckResult& check) {
  check.answers = repeated_.digests();
  const auto status_is = [](Status status) {
    return [status](const JudgedSelection& one) { return one.status == status; };
  };
  if (const auto failed = std::ranges::find_if(check.selections, status_is(Status::fail));
      failed != check.selections.end()) {
    check.status = Status::fail;
    check.reason = failed->reason;
  } else if (repeated_.differing() > 0) {
    check.status = Status::fail;
    check.reason = fmt::format("{} of {} answers to the same question differ in a bit", repeated_.differing(),
                               repeated_.answers());
  } else if (std::ranges::none_of(check.selections, status_is(Status::pass))) {
    check.status = Status::vacuous;
    check.reason = check.selections.empty() ? "no selection" : check.selections.front().reason;
  }
  if (watched_.witness) conclude_route(watched_.witness->evidence(), check);
}

}  // namespace plumbline

#include "oracle/run/device_checks.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/cases/generate.h"
#include "fixtures/error.h"
#include "oracle/judge/error_model.h"
#include "oracle/run/family_cases.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/judge_capture.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/per_request_subject.h"
#include "oracle/run/repeated_subject.h"
#include "oracle/run/repro.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kAnswers = 5;

/// A subject with the scores another one gives for the same inputs.
class WithScoresOf final : public SelectSubject {
 public:
  WithScoresOf(std::shared_ptr<SelectSubject> subject, std::shared_ptr<SelectSubject> scores)
      : subject_(std::move(subject)), scores_(std::move(scores)) {}
  std::string name() const override { return subject_->name(); }
  SelectOutputs select(const SelectInputs& inputs) override {
    SelectOutputs outputs = subject_->select(inputs);
    outputs.scores = scores_->select(inputs).scores;
    return outputs;
  }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = subject_->select_paged(inputs);
    outputs.block_scores = scores_->select_paged(inputs).block_scores;
    return outputs;
  }

 private:
  std::shared_ptr<SelectSubject> subject_, scores_;
};

std::shared_ptr<SelectSubject> subject_of(const DeviceRoute& route) {
  std::shared_ptr<SelectSubject> subject = route.subject();
  if (route.scores_of) subject = std::make_shared<WithScoresOf>(subject, route.scores_of());
  if (route.one_request) subject = std::make_shared<PerRequestSubject>(subject);
  return subject;
}

/// The two judgements of one route on one case.
class RouteTrial {
 public:
  RouteTrial(const DeviceRoute& route, std::string capability, int threads)
      : route_(route),
        capability_(std::move(capability)),
        threads_(threads),
        repeated_(subject_of(route), kAnswers) {}

  void judge(const CaseSpec& spec, CheckResult& check) {
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

  void judge(const std::string& path, CheckResult& check) {
    JudgeCaptureOptions options;
    options.subject = &repeated_;
    options.capability = capability_;
    options.threads = threads_;
    for (const Contract contract : {route_.contract, Contract::within_error}) {
      options.contract = contract;
      for (JudgedSelection& selection : judge_capture(path, options))
        check.selections.push_back(std::move(selection));
    }
    finish(check);
  }

 private:
  // One judgement may have nothing to say (all exact scores tie, no exact score) where the other has.
  void finish(CheckResult& check) {
    const auto status_is = [](Status status) {
      return [status](const JudgedSelection& one) { return one.status == status; };
    };
    if (const auto failed = std::ranges::find_if(check.selections, status_is(Status::fail));
        failed != check.selections.end()) {
      check.status = Status::fail;
      check.reason = failed->reason;
    } else if (repeated_.differing() > 0) {
      check.status = Status::fail;
      check.reason = fmt::format("{} of {} answers to the same question differ in a bit",
                                 repeated_.differing(), repeated_.answers());
    } else if (std::ranges::none_of(check.selections, status_is(Status::pass))) {
      check.status = Status::vacuous;
      check.reason = check.selections.empty() ? "no selection" : check.selections.front().reason;
    }
  }

  const DeviceRoute& route_;
  std::string capability_;
  int threads_;
  RepeatedSubject repeated_;
};

PlannedCheck plan(const DeviceSubjects& device, const DeviceRoute& route, const std::string& name,
                  const std::string& source, const std::vector<std::string>& options) {
  PlannedCheck check;
  check.name = fmt::format("cuda/{}/{}", route.name, name);
  check.kind = CheckKind::device;
  check.source = source;
  check.subject = "cuda:" + route.name;
  std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(check.name)};
  words.insert(words.end(), options.begin(), options.end());
  check.repro = repro_line(words, source, {route.name + " (forced)", device.device});
  return check;
}

CaseSpec in_the_real_geometry(CaseSpec spec) {
  constexpr SelectGeometry kReal;
  spec.geometry.index_heads = kReal.index_heads;
  spec.geometry.index_head_dim = kReal.index_head_dim;
  return spec;
}

// Selections are what a route can be put to; whatever else lies there, damaged files too, golden_checks()
// judges.
std::vector<std::string> selection_captures(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& file : captures_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    try {
      if (read_capture_info(path).kind != CaptureKind::model) paths.push_back(path);
    } catch (const InputError&) {
    }
  }
  return paths;
}

}  // namespace

std::vector<PlannedCheck> device_checks(const DeviceSubjects& device, const std::string& fixtures,
                                        std::uint64_t seed_shift, int threads) {
  const std::vector<std::string> goldens = selection_captures(fixtures);
  std::vector<std::string> folder, seed;  // the options that repeat a check
  if (fixtures != default_fixtures()) folder = {"--fixtures", fixtures};
  if (seed_shift != 0) seed = {"--seed", std::to_string(seed_shift)};
  std::vector<PlannedCheck> checks;
  for (const DeviceRoute& route : device.routes) {
    for (const std::string& path : goldens) {
      if (route.on_given_scores) continue;  // goldens record the scores of others
      if (route.several_requests && read_capture_info(path).kind == CaptureKind::select) continue;
      checks.push_back(
          plan(device, route, "golden/" + std::filesystem::path(path).stem().string(), path, folder));
      checks.back().run = [route, path, capability = device.capability, threads](CheckResult& check) {
        RouteTrial(route, capability, threads).judge(path, check);
      };
    }
    for (const FamilyCase& one : family_cases(seed_shift)) {
      if (route.on_given_scores && (!one.gives_scores || one.spec.kind == CaseSpec::Kind::paged)) continue;
      if (route.several_requests && (one.spec.kind != CaseSpec::Kind::paged || one.spec.requests < 2))
        continue;
      const CaseSpec spec = in_the_real_geometry(one.spec);
      checks.push_back(plan(device, route, one.name, format_case(spec), seed));
      checks.back().run = [route, spec, capability = device.capability, threads](CheckResult& check) {
        RouteTrial(route, capability, threads).judge(spec, check);
      };
    }
  }
  return checks;
}

}  // namespace plumbline

#include "oracle/run/attention_capture_checks.h"

#include "fixtures/capture/attention_capture.h"
#include "fixtures/error.h"
#include "oracle/run/repro.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

const RoundingProfile& profile_of(const std::string& path, const AttentionCase& data,
                                  const AttentionTrial& trial) {
  if (trial.profile != nullptr) return *trial.profile;
  const std::string name = data.profile.empty() ? "vllm" : data.profile;
  if (const RoundingProfile* found = find_rounding_profile(name)) return *found;
  throw InputError(path, data.name + "@profile", "the name of a rounding profile", "\"" + name + "\"");
}

AttentionErrorModel model_of(const std::string& path, const CaptureInfo& info, const AttentionCase& data,
                             const AttentionTrial& trial) {
  const DType storage = data.query.dtype;
  if (trial.device) return device_attention_model(storage, trial.capability);
  AttentionErrorModel model = attention_error_model(profile_of(path, data, trial), storage,
                                                    trial.subject ? std::nullopt : info.capability);
  if (data.num_splits && !trial.subject) model.most_splits = *data.num_splits;
  return model;
}

AttentionReport judged(const std::string& path, const CaptureInfo& info, const AttentionCase& data,
                       const AttentionTrial& trial) {
  const AttentionInputs inputs = data.inputs();
  AttentionReport report = judge_attention(
      inputs, trial.subject ? trial.subject->attend(inputs) : AttentionOutputs{data.output, data.lse},
      model_of(path, info, data, trial));
  report.case_name = data.name;
  report.subject = trial.subject ? trial.subject->name() : "recorded";
  return report;
}

}  // namespace

std::vector<AttentionReport> judge_attention_capture(const std::string& path, const AttentionTrial& trial,
                                                     const NameFilter& filter) {
  const AttentionCapture capture = read_attention_capture(path);
  std::vector<AttentionReport> reports;
  for (const AttentionCase& data : capture.cases)
    if (filter.matches(data.name)) reports.push_back(judged(path, capture.info, data, trial));
  return reports;
}

std::vector<PlannedCheck> attention_capture_checks(const std::string& path,
                                                   const std::vector<AttentionTrial>& trials,
                                                   const std::vector<std::string>& words,
                                                   const NameFilter& filter) {
  const auto capture = std::make_shared<const AttentionCapture>(read_attention_capture(path));
  std::vector<PlannedCheck> checks;
  for (std::size_t number = 0; number < capture->cases.size(); ++number) {
    for (const AttentionTrial& trial : trials) {
      const std::string subject = trial.subject ? trial.subject->name() : "recorded";
      PlannedCheck check;
      check.name = capture->cases[number].name + (trials.size() > 1 ? "/" + subject : "");
      if (!filter.matches(check.name)) continue;
      if (!trial.device) profile_of(path, capture->cases[number], trial);  // refused before anything runs
      check.kind = CheckKind::golden;
      check.source = path;
      check.subject = subject;
      std::vector<std::string> line = words;
      line.insert(line.end(), {"--filter", exact_filter(check.name)});
      check.repro = repro_line(line, fmt::format("case {}, subject {}", check.name, subject));
      check.run = [path, capture, number, trial](CheckResult& result) {
        result.attention.push_back(judged(path, capture->info, capture->cases[number], trial));
        conclude(result);
      };
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace plumbline

#include "oracle/plugin/plugin_case.h"

#include "fixtures/capture/capture_writer.h"
#include "oracle/plugin/score_bound.h"
#include "oracle/report/machine.h"
#include "reference/select/reference_subject.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr const char* kGroup = "/select/0000";

std::string in_group(const char* name) { return fmt::format("{}/{}", kGroup, name); }

void write_attributes(CaptureWriter& writer, CaptureKind kind, const PluginSubject& subject,
                      Contract contract, const std::string& case_name, const SelectGeometry& geometry) {
  CaptureInfo info;
  info.kind = kind;
  info.producer = "plumbline " + build_name() + ", shrunk for " + subject.name();
  info.case_name = case_name;
  info.contract = std::string(name_of(contract));
  writer.root_attributes(info);
  write_geometry(writer, geometry);
}

/// The answer, where there still is one.
template <typename Ask>
auto answer_of(const Ask& ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const PluginFault&) {
    return std::nullopt;
  } catch (const UnsupportedCase&) {
    return std::nullopt;
  }
}

}  // namespace

PluginOutcome judge_spec(PluginTrial& trial, const CaseSpec& spec) {
  if (spec.kind == CaseSpec::Kind::paged) {
    const GeneratedPaged generated = generate_paged(spec);
    return trial.judge(generated.inputs());
  }
  const GeneratedSelect generated = generate_select(spec);
  return trial.judge(generated.inputs());
}

bool same_fault(const PluginOutcome& outcome, PluginProperty property) {
  return outcome.finding && outcome.finding->property == property;
}

void write_failing_case(const SelectInputs& inputs, PluginSubject& subject, Contract contract,
                        const std::string& case_name, const std::string& path) {
  const PluginFacts& facts = subject.process().facts();
  const bool scores = facts.offers_operation(PluginOperation::score) && inputs.index_query;
  SelectInputs stored = inputs;
  if (scores) stored.scores.reset();
  CaptureWriter writer(path);
  write_attributes(writer, CaptureKind::select, subject, contract, case_name, inputs.geometry);
  write_select_inputs(writer, kGroup, stored);
  writer.tensor(in_group("blocks_reference"), ReferenceSubject().select(stored).blocks.view());
  if (facts.offers_operation(PluginOperation::select)) {
    if (const auto answer = answer_of([&] { return subject.select(stored); })) {
      writer.tensor(in_group("blocks_plugin"), answer->blocks.view());
      if (answer->scores) writer.tensor(in_group("scores_plugin"), answer->scores->view());
    }
  }
  writer.commit();
}

void write_failing_case(const PagedSelectInputs& inputs, PluginSubject& subject, Contract contract,
                        const std::string& case_name, const std::string& path) {
  CaptureWriter writer(path);
  write_attributes(writer, CaptureKind::select_paged, subject, contract, case_name, inputs.geometry);
  write_paged_inputs(writer, kGroup, inputs);
  auto answer = answer_of([&] { return subject.select_paged(inputs); });
  if (!answer) answer = ReferenceSubject().select_paged(inputs);
  writer.tensor(in_group("selected_tokens"), answer->selected_tokens.view());
  writer.tensor(in_group("selected_blocks"), answer->selected_blocks->view());
  writer.commit();
}

}  // namespace plumbline

#include "fixtures/small_float.h"
#include "oracle/judge/judge_attention.h"
#include "oracle/run/attention_cases.h"
#include "oracle/run/attention_checks.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/faulty_attention.h"
#include "oracle/selftest/mutant.h"
#include "oracle/selftest/tolerance_comparator.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace plumbline::selftest {
namespace {

constexpr std::int64_t kTokens = 120;

/// What is equal to a comparator of tolerance 1e-4.
bool all_close(const Tensor& a, const Tensor& b) {
  const std::size_t element = size_of(a.dtype);
  for (std::size_t at = 0; at < a.bytes.size(); at += element) {
    if (!close(decode_element(a.dtype, a.bytes.data() + at), decode_element(b.dtype, b.bytes.data() + at)))
      return false;
  }
  return true;
}

/// The inputs' row `row` and no other.
AttentionInputs only_row(AttentionInputs inputs, std::int64_t row) {
  const auto keep = [row](TensorView& view) {
    view.data = view.at(row);
    view.shape[0] = 1;
  };
  keep(inputs.query);
  keep(inputs.selected_tokens);
  keep(inputs.token_to_request);
  if (inputs.output_gate) keep(*inputs.output_gate);
  return inputs;
}

struct AskedCase {
  AttentionCase data;
  AttentionOutputs honest;
};

std::vector<AskedCase> attention_suite_cases(std::uint64_t seed_shift) {
  std::vector<AskedCase> cases;
  for (AttentionFamily family : attention_families()) {
    if (family.selected > 1000) continue;
    family.selected = kTokens;
    family.rows = std::min<std::int64_t>(family.rows, 8);
    AttentionCase data = make_attention_case(family, 1 + seed_shift);
    AttentionOutputs honest = FaultyAttention(AttentionFault::none).attend(data.inputs());
    cases.push_back({std::move(data), std::move(honest)});
  }
  return cases;
}

Trial try_attention_fault(AttentionFault fault, const std::vector<AskedCase>& cases) {
  Trial trial;
  trial.passes_tolerance = true;
  FaultyAttention subject(fault);
  for (const AskedCase& one : cases) {
    const AttentionInputs inputs = one.data.inputs();
    const AttentionOutputs outputs = subject.attend(inputs);
    const AttentionReport report =
        judge_attention(inputs, outputs, device_attention_model(inputs.query.dtype, std::nullopt));
    trial.cases += report.rows;
    const auto beyond = [&](const std::optional<TapReport>& tap, const char* check) {
      if (tap && tap->beyond_bound > 0)
        accuse(
            trial, check,
            fmt::format("{}: {} of {} beyond their bounds", one.data.name, tap->beyond_bound, tap->elements));
    };
    beyond(report.output, "output");
    beyond(report.lse, "lse");
    if (report.empty_rows_wrong > 0)
      accuse(trial, "empty",
             fmt::format("{}: {} rows without tokens are not 0 and -infinity", one.data.name,
                         report.empty_rows_wrong));
    const AttentionOutputs again = subject.attend(inputs);
    for (std::int64_t row = 0; row < inputs.rows(); ++row) {
      if (!same_row(outputs, row, again, row))
        accuse(trial, "repeat",
               fmt::format("{}: row {} has other bits when asked again", one.data.name, row));
      if (!same_row(outputs, row, subject.attend(only_row(inputs, row)), 0))
        accuse(trial, "alone", fmt::format("{}: row {} alone has other bits", one.data.name, row));
    }
    if (!all_close(outputs.output, one.honest.output) || !all_close(*outputs.lse, *one.honest.lse))
      trial.passes_tolerance = false;
  }
  return trial;
}

}  // namespace

Suite attention_suite() {
  Suite suite;
  suite.name = "attention";
  suite.checks = {"output", "lse", "empty", "alone", "repeat"};
  for (const NamedAttentionFault& fault : attention_faults())
    suite.mutants.push_back({"split_k." + fault.id, fault.hazard, fault.about, fault.check});
  struct Drawn {
    std::uint64_t seed_shift = 0;
    std::vector<AskedCase> cases;
  };
  const auto drawn = std::make_shared<Drawn>();
  suite.run = [drawn](std::string_view id, std::uint64_t seed_shift) {
    if (drawn->cases.empty() || drawn->seed_shift != seed_shift)
      *drawn = {seed_shift, attention_suite_cases(seed_shift)};
    const auto faults = attention_faults();
    const auto found = std::ranges::find_if(
        faults, [&](const NamedAttentionFault& fault) { return "split_k." + fault.id == id; });
    return try_attention_fault(found == faults.end() ? AttentionFault::none : found->fault, drawn->cases);
  };
  return suite;
}

}  // namespace plumbline::selftest

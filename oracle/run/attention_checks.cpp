#include "oracle/run/attention_checks.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/error.h"
#include "oracle/run/answer_digest.h"
#include "oracle/run/attention_cases.h"
#include "oracle/run/batch_from_case.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/repro.h"
#include "oracle/run/route_trial.h"
#include "reference/model/paged_attention.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kAnswers = 5;
constexpr std::int64_t kRowsAlone = 4;

/// Some rows of the inputs, in the order given.
class SomeRows {
 public:
  SomeRows(const AttentionInputs& inputs, const std::vector<std::int64_t>& rows)
      : query_(taken(inputs.query, rows)),
        tokens_(taken(inputs.selected_tokens, rows)),
        requests_(taken(inputs.token_to_request, rows)),
        inputs_(inputs) {
    if (inputs.output_gate) gate_ = taken(*inputs.output_gate, rows);
    inputs_.query = query_.view();
    inputs_.selected_tokens = tokens_.view();
    inputs_.token_to_request = requests_.view();
    if (gate_) inputs_.output_gate = gate_->view();
  }
  const AttentionInputs& get() const { return inputs_; }

 private:
  static Tensor taken(const TensorView& view, const std::vector<std::int64_t>& rows) {
    Shape shape = view.shape;
    shape[0] = std::ssize(rows);
    Tensor tensor(view.dtype, shape);
    const std::size_t bytes = rows.empty() ? 0 : tensor.bytes.size() / rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(tensor.bytes.data() + i * bytes, view.at(rows[i]), bytes);
    return tensor;
  }

  Tensor query_, tokens_, requests_;
  std::optional<Tensor> gate_;
  AttentionInputs inputs_;
};

/// Asks a subject and has its calls watched.
class Asked {
 public:
  Asked(AttentionSubject& subject, const DeviceAttention& way, const std::string& capability,
        dispatch::CallTracer* watch)
      : subject_(subject), way_(way), capability_(capability), watch_(watch) {}

  AttentionOutputs operator()(const AttentionInputs& inputs) {
    if (watch_ == nullptr) return subject_.attend(inputs);
    const dispatch::AttentionCall call =
        dispatch::plan_attention(batch_of(inputs), dispatch::parse_capability(capability_), way_.force);
    watch_->begin(call.planned.nonce);
    AttentionOutputs outputs;
    try {
      outputs = subject_.attend(inputs);
    } catch (...) {
      watch_->end();
      throw;
    }
    evidence.add(dispatch::reconcile(call.planned, watch_->end()));
    return outputs;
  }
  RouteEvidence evidence;

 private:
  AttentionSubject& subject_;
  const DeviceAttention& way_;
  const std::string& capability_;
  dispatch::CallTracer* watch_;
};

/// Asks for rows again and reports how many came out otherwise.
void vary(const std::string& name, const AttentionInputs& inputs, const AttentionOutputs& first,
          const std::vector<std::vector<std::int64_t>>& batches, Asked& ask, CheckResult& check) {
  VariationReport report;
  report.name = name;
  for (const std::vector<std::int64_t>& rows : batches) {
    const AttentionOutputs again = ask(SomeRows(inputs, rows).get());
    ++report.calls;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ++report.rows;
      report.rows_changed += same_row(first, rows[i], again, static_cast<std::int64_t>(i)) ? 0 : 1;
    }
  }
  if (report.rows_changed > 0 && check.status == Status::pass) {
    check.status = Status::fail;
    check.reason = fmt::format("{}: {} of {} rows have other bits", name, report.rows_changed, report.rows);
  }
  check.variations.push_back(std::move(report));
}

std::vector<std::int64_t> counted(std::int64_t rows) {
  std::vector<std::int64_t> all;
  for (std::int64_t row = 0; row < rows; ++row) all.push_back(row);
  return all;
}

PlannedCheck planned(const std::string& name, CheckKind kind, const std::string& source,
                     const std::string& subject, std::uint64_t seed_shift, const RanOn& ran_on) {
  PlannedCheck check;
  check.name = name;
  check.kind = kind;
  check.source = source;
  check.subject = subject;
  std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(name)};
  if (seed_shift != 0) words.insert(words.end(), {"--seed", std::to_string(seed_shift)});
  check.repro = repro_line(words, source, ran_on);
  return check;
}

std::vector<std::string> attention_captures(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& file : captures_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    try {
      if (read_capture_info(path).kind == CaptureKind::attention_paged) paths.push_back(path);
    } catch (const InputError&) {  // the golden's own check says what is wrong with it
    }
  }
  return paths;
}

}  // namespace

bool same_row(const AttentionOutputs& a, std::int64_t row_a, const AttentionOutputs& b, std::int64_t row_b) {
  const auto same = [&](const Tensor& x, const Tensor& y) {
    const std::size_t bytes = x.bytes.size() / static_cast<std::size_t>(x.extent(0));
    return std::memcmp(x.bytes.data() + static_cast<std::size_t>(row_a) * bytes,
                       y.bytes.data() + static_cast<std::size_t>(row_b) * bytes, bytes) == 0;
  };
  if (!same(a.output, b.output) || a.lse.has_value() != b.lse.has_value()) return false;
  return !a.lse || same(*a.lse, *b.lse);
}

std::vector<DeviceAttention> attention_ways() {
  using dispatch::Route;
  std::vector<DeviceAttention> ways = {{"attention.planned", {}},
                                       {"attention.direct", {Route::attention_direct, 1, false}}};
  for (const std::int64_t splits : {2, 3, 8, 16, 64})
    ways.push_back({fmt::format("attention.splitk@{}", splits), {Route::attention_splitk, splits, false}});
  ways.push_back({"attention.portable", {Route::attention_direct, 1, true}});
  ways.push_back({"attention.portable@3", {Route::attention_splitk, 3, true}});
  return ways;
}

std::vector<PlannedCheck> reference_attention_checks(std::uint64_t seed_shift) {
  std::vector<PlannedCheck> checks;
  const std::uint64_t seed = 1 + seed_shift;
  for (const AttentionFamily& family : attention_families()) {
    PlannedCheck check = planned("attention/" + family.name, CheckKind::generated, text_of(family, seed),
                                 "reference", seed_shift, {});
    check.run = [family, seed](CheckResult& result) {
      const AttentionCase data = make_attention_case(family, seed);
      const AttentionInputs inputs = data.inputs();
      AnswerDigest digest;
      for (const RoundingProfile& profile : rounding_profiles()) {
        if (family.selected > 1000 && profile.name != "exact" && profile.name != "vllm") continue;
        const AttentionOutputs outputs = paged_attention(inputs, profile);
        digest.add(inputs, outputs);
        AttentionReport report =
            judge_attention(inputs, outputs, attention_error_model(profile, family.storage, std::nullopt));
        report.case_name = data.name;
        report.subject = profile.name;
        result.attention.push_back(std::move(report));
      }
      result.answers = digest.finish();
      conclude(result);
    };
    checks.push_back(std::move(check));
  }
  return checks;
}

void try_attention(const AttentionCase& data, AttentionSubject& subject, const DeviceAttention& way,
                   const std::string& capability, dispatch::CallTracer* watch, CheckResult& check) {
  const AttentionInputs inputs = data.inputs();
  Asked ask(subject, way, capability, watch);
  const AttentionOutputs first = ask(inputs);
  // A capture's cases are several calls; the first is what two machines are compared by.
  if (check.answers.inputs.empty()) check.answers = answers_of(inputs, first);
  AttentionReport report =
      judge_attention(inputs, first, device_attention_model(inputs.query.dtype, capability));
  report.case_name = data.name;
  report.subject = subject.name();
  check.attention.push_back(std::move(report));
  conclude(check);
  const std::vector<std::int64_t> all = counted(inputs.rows());
  vary("repeated", inputs, first, std::vector(kAnswers - 1, all), ask, check);
  if (way.force.splits) {  // else the batch decides
    std::vector<std::vector<std::int64_t>> alone;
    for (std::int64_t row = 0; row < std::min(kRowsAlone, inputs.rows()); ++row) alone.push_back({row});
    vary("alone", inputs, first, alone, ask, check);
    vary("batches", inputs, first,
         {std::vector(all.rbegin(), all.rend()), std::vector(all.begin() + inputs.rows() / 2, all.end())},
         ask, check);
  }
  if (watch != nullptr) {
    RouteEvidence evidence = check.routes.value_or(RouteEvidence{});
    evidence.add(ask.evidence);
    conclude_route(evidence, check);
  }
}

std::vector<PlannedCheck> attention_checks(const DeviceSubjects& device, const std::string& fixtures,
                                           std::uint64_t seed_shift) {
  std::vector<PlannedCheck> checks;
  const std::uint64_t seed = 1 + seed_shift;
  const auto shared = std::make_shared<const DeviceSubjects>(device);
  const std::vector<std::string> captures =
      device.attention.empty() ? std::vector<std::string>{} : attention_captures(fixtures);
  for (std::size_t number = 0; number < device.attention.size(); ++number) {
    const DeviceAttention& way = device.attention[number];
    const RanOn ran_on{way.name + " (forced)", device.device};
    for (const std::string& path : captures) {
      PlannedCheck check = planned(
          fmt::format("cuda/attention/golden/{}/{}", std::filesystem::path(path).stem().string(), way.name),
          CheckKind::device, path, "cuda:" + way.name, 0, ran_on);
      check.run = [shared, number, path](CheckResult& result) {
        const DeviceAttention& one = shared->attention[number];
        const std::shared_ptr<AttentionSubject> subject = one.subject();
        for (const AttentionCase& data : read_attention_capture(path).cases)
          try_attention(data, *subject, one, shared->capability, shared->tracer.get(), result);
      };
      checks.push_back(std::move(check));
    }
    for (const AttentionFamily& family : attention_families()) {
      PlannedCheck check =
          planned(fmt::format("cuda/attention/{}/{}", family.name, way.name), CheckKind::device,
                  text_of(family, seed), "cuda:" + way.name, seed_shift, ran_on);
      check.run = [shared, number, family, seed](CheckResult& result) {
        const DeviceAttention& one = shared->attention[number];
        try_attention(make_attention_case(family, seed), *one.subject(), one, shared->capability,
                      shared->tracer.get(), result);
      };
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace plumbline

#include "oracle/plugin/plugin_attention.h"

#include "oracle/judge/judge_attention.h"
#include "oracle/run/attention_cases.h"
#include "oracle/run/check.h"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::uint8_t kSecondRubbish = 0x5A, kThirdRubbish = 0xFF;
constexpr const char* kProfile = "vllm";

/// The rows from `first` on, `count` of them.
AttentionInputs some_rows(AttentionInputs inputs, std::int64_t first, std::int64_t count) {
  for (TensorView* view : {&inputs.query, &inputs.selected_tokens, &inputs.token_to_request}) {
    view->data = view->at(first);
    view->shape[0] = count;
  }
  return inputs;
}

void fail(CheckResult& check, const std::string& reason) {
  if (check.status == Status::fail) return;
  check.status = Status::fail;
  check.reason = reason;
}

class Trial {
 public:
  Trial(PluginAttention& subject, const AttentionCase& data, const std::optional<std::string>& capability)
      : subject_(subject),
        inputs_(data.inputs()),
        model_(attention_error_model(*find_rounding_profile(kProfile), inputs_.query.dtype, capability)) {}

  void run(CheckResult& check) {
    subject_.arrange(Arrangement::canaries, 0xA5);
    const AttentionOutputs first = subject_.attend(inputs_);
    AttentionReport report = judge_attention(inputs_, first, model_);
    report.subject = subject_.name();
    check.attention.push_back(std::move(report));
    conclude(check);
    if (check.status == Status::fail) return;
    repeat(first, check);
    if (check.status != Status::fail) alone(check);
  }

 private:
  void repeat(const AttentionOutputs& first, CheckResult& check) {
    VariationReport& report = check.variations.emplace_back();
    report.name = "repeated";
    std::vector<std::pair<Arrangement, std::uint8_t>> ways = {{Arrangement::canaries, kSecondRubbish}};
    if (!subject_.process().facts().on_device) ways.emplace_back(Arrangement::guard_pages, kThirdRubbish);
    for (const auto& [arrangement, rubbish] : ways) {
      subject_.arrange(arrangement, rubbish);
      ++report.calls;
      report.rows += inputs_.rows();
      if (subject_.attend(inputs_).output.bytes == first.output.bytes) continue;
      ++report.rows_changed;
      fail(check, "repeat: the same call gave other bits");
    }
    subject_.arrange(Arrangement::canaries, 0xA5);
  }

  void alone(CheckResult& check) {
    VariationReport& report = check.variations.emplace_back();
    report.name = "alone";
    for (std::int64_t row = 0; row < inputs_.rows(); ++row) {
      const AttentionInputs one = some_rows(inputs_, row, 1);
      const AttentionReport judged = judge_attention(one, subject_.attend(one), model_);
      ++report.calls;
      ++report.rows;
      if (judged.status != Status::fail) continue;
      ++report.rows_changed;
      fail(check, fmt::format("batch: row {} alone: {}", row, judged.reason));
    }
  }

  PluginAttention& subject_;
  AttentionInputs inputs_;
  AttentionErrorModel model_;
};

}  // namespace

std::string PluginAttention::name() const {
  return "plugin:" + std::filesystem::path(process_->library()).filename().string();
}

AttentionOutputs PluginAttention::attend(const AttentionInputs& inputs) {
  if (!process_->facts().offers_operation(PluginOperation::attend))
    throw UnsupportedCase("the plugin offers no attend");
  if (inputs.output_gate) throw UnsupportedCase("the plugin interface has no output gate");
  if (inputs.k_scale != 1 || inputs.v_scale != 1)
    throw UnsupportedCase("the plugin interface has no cache scales");
  PluginCall call;
  call.operation = PluginOperation::attend;
  call.scale = inputs.softmax_scale;
  call.arrangement = arrangement_;
  call.rubbish = rubbish_;
  call.inputs = {plugin_input("query", inputs.query),
                 plugin_input("key_cache", inputs.key_cache),
                 plugin_input("value_cache", inputs.value_cache),
                 plugin_input("page_table", inputs.page_table),
                 plugin_input("token_to_request", inputs.token_to_request),
                 plugin_input("tokens", inputs.selected_tokens)};
  call.outputs = {{"out", inputs.query.dtype, inputs.query.shape}};
  PluginAnswer answer = process_->ask(call);
  if (answer.kind == PluginAnswer::Kind::unsupported)
    throw UnsupportedCase(answer.message.empty() ? "the plugin does not serve it" : answer.message);
  return {std::move(answer.outputs.front()), std::nullopt};
}

std::vector<CheckResult> try_plugin_attention(const std::shared_ptr<PluginProcess>& process,
                                              const PluginAttentionOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<CheckResult> checks;
  if (!process->facts().offers_operation(PluginOperation::attend)) return checks;
  PluginAttention subject(process);
  const std::uint64_t seed = 1 + options.seed;
  for (AttentionFamily family : attention_families()) {
    CheckResult check;
    check.name = "attend/" + family.name;
    if (family.float8 || (options.wanted && !options.wanted(check.name))) continue;
    family.gate = false;
    check.kind = CheckKind::generated;
    check.subject = subject.name();
    check.source = text_of(family, seed);
    check.repro = options.repro(check.name);
    const auto start = Clock::now();
    try {
      const AttentionCase data = make_attention_case(family, seed);
      Trial(subject, data, options.capability).run(check);
    } catch (const UnsupportedCase& unsupported) {
      check.status = Status::unsupported;
      check.reason = unsupported.what();
    } catch (const PluginFault& fault) {
      check.status = Status::fail;
      check.reason = fault.what();
    }
    check.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace plumbline

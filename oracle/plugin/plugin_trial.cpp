#include "oracle/plugin/plugin_trial.h"

#include "oracle/judge/score_drift.h"
#include "oracle/plugin/score_bound.h"
#include "oracle/run/judge_case.h"
#include "oracle/run/per_request_subject.h"
#include "oracle/run/row_batch.h"
#include "oracle/run/variation_trial.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::uint8_t kSecondRubbish = 0x5A, kThirdRubbish = 0xFF;

template <typename T>
std::span<const T> line_of(const Tensor& tensor, std::int64_t row) {
  const auto width = static_cast<std::size_t>(tensor.extent(1));
  return tensor.as<T>().subspan(static_cast<std::size_t>(row) * width, width);
}

bool same_bits(const Tensor& a, const Tensor& b) { return a.bytes == b.bytes; }

bool same_choice(std::span<const std::int32_t> a, std::span<const std::int32_t> b, Contract contract) {
  if (contract == Contract::canonical) return std::ranges::equal(a, b);
  std::vector<std::int32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  std::ranges::sort(left);
  std::ranges::sort(right);
  return left == right;
}

/// The first row in which two answers differ; -1 for none.
std::int64_t first_difference(const Tensor& a, const Tensor& b, Contract contract) {
  for (std::int64_t row = 0; row < a.extent(0); ++row)
    if (!same_choice(line_of<std::int32_t>(a, row), line_of<std::int32_t>(b, row), contract)) return row;
  return -1;
}

void found(PluginOutcome& outcome, PluginProperty property, std::string what) {
  if (!outcome.finding) outcome.finding = {property, std::move(what)};
}

PluginProperty property_of(const PluginFault& fault, Arrangement arrangement) {
  const bool read_beyond =
      fault.kind() == PluginFault::Kind::crash && arrangement == Arrangement::guard_pages;
  return fault.kind() == PluginFault::Kind::stray || read_beyond ? PluginProperty::guards
                                                                 : PluginProperty::alive;
}

VariationReport& report_of(PluginOutcome& outcome, const std::string& name) {
  for (VariationReport& report : outcome.variations)
    if (report.name == name) return report;
  outcome.variations.emplace_back().name = name;
  return outcome.variations.back();
}

/// Calls `ask` again with other rubbish, then at guard pages, as far as its memory has them.
template <typename Ask>
void again(PluginSubject& subject, PluginOutcome& outcome, const Ask& ask) {
  std::vector<std::pair<Arrangement, std::uint8_t>> ways = {{Arrangement::canaries, kSecondRubbish}};
  if (!subject.process().facts().on_device) ways.emplace_back(Arrangement::guard_pages, kThirdRubbish);
  for (const auto& [arrangement, rubbish] : ways) {
    if (outcome.finding) return;
    subject.arrange(arrangement, rubbish);
    try {
      ++report_of(outcome, "repeated").calls;
      ask();
    } catch (const PluginFault& fault) {
      found(outcome, property_of(fault, arrangement), fault.what());
    }
  }
  subject.arrange(Arrangement::canaries, 0xA5);
}

}  // namespace

std::string_view name_of(PluginProperty property) {
  switch (property) {
    case PluginProperty::alive:
      return "alive";
    case PluginProperty::guards:
      return "guards";
    case PluginProperty::scores:
      return "scores";
    case PluginProperty::contract:
      return "contract";
    case PluginProperty::repeat:
      return "repeat";
    case PluginProperty::batch:
      break;
  }
  return "batch";
}

Contract PluginTrial::contract(bool on_scores) {
  if (options_.contract) return *options_.contract;
  if (!on_scores) return Contract::within_error;
  return contract_from(subject_.process().facts().contract).value_or(Contract::set_exact);
}

PluginOutcome PluginTrial::judge(const SelectInputs& inputs) {
  PluginOutcome outcome;
  subject_.arrange(Arrangement::canaries, 0xA5);
  try {
    const PluginFacts& facts = subject_.process().facts();
    const bool scores = facts.offers_operation(PluginOperation::score) && inputs.index_query;
    const bool selects = facts.offers_operation(PluginOperation::select);
    if (!scores && !selects)
      throw UnsupportedCase("the plugin offers neither a selection nor scores of this case");
    SelectInputs asked = inputs;
    if (scores) {
      asked.scores.reset();
      judge_score(asked, outcome);
    }
    if (!selects || outcome.finding) return outcome;
    Tensor given;
    if (!scores) {
      if (!asked.scores) {
        given = plain_scores(asked);
        asked.scores = given.view();
      }
      asked.index_query.reset();
      asked.index_key.reset();
    }
    judge_select(asked, outcome);
  } catch (const UnsupportedCase& unsupported) {
    outcome.unsupported = unsupported.what();
  } catch (const PluginFault& fault) {
    found(outcome, property_of(fault, Arrangement::canaries), fault.what());
  }
  return outcome;
}

void PluginTrial::judge_score(const SelectInputs& inputs, PluginOutcome& outcome) {
  const auto model =
      error_model_for(options_.capability, inputs.geometry.index_heads, inputs.geometry.index_head_dim);
  const Tensor first = subject_.score(inputs);
  const ScoreBoundReport report = judge_scores(inputs, first, *model, options_.threads);
  outcome.scores_compared += report.scores;
  if (report.beyond > 0)
    return found(outcome, PluginProperty::scores,
                 fmt::format("{} of {} scores are beyond their bounds; {}", report.beyond, report.scores,
                             report.worst));
  again(subject_, outcome, [&] {
    if (!same_bits(first, subject_.score(inputs)))
      found(outcome, PluginProperty::repeat, "the same call gave scores of other bits");
  });
  for (const RowChoice& choice : row_choices(inputs)) {
    if (outcome.finding) return;
    const RowBatch batch(inputs, choice.rows);
    const Tensor part = subject_.score(batch.inputs());
    VariationReport& variation = report_of(outcome, choice.name);
    ++variation.calls;
    for (std::size_t i = 0; i < choice.rows.size(); ++i) {
      const std::int64_t row = choice.rows[i], visible = visible_count(inputs, row);
      const ScoreDrift drift =
          score_drift(inputs, row, line_of<float>(first, row),
                      line_of<float>(part, static_cast<std::int64_t>(i)), visible, *model);
      ++variation.rows;
      variation.rows_rescored += drift.changed > 0;
      variation.scores_beyond += drift.beyond;
      variation.largest_share = std::max(variation.largest_share, drift.largest_share);
    }
    if (variation.scores_beyond > 0)
      found(outcome, PluginProperty::batch,
            fmt::format("{}: {} scores moved beyond two error bounds", choice.name, variation.scores_beyond));
  }
}

void PluginTrial::judge_select(const SelectInputs& inputs, PluginOutcome& outcome) {
  const auto model =
      error_model_for(options_.capability, inputs.geometry.index_heads, inputs.geometry.index_head_dim);
  JudgeOptions options;
  options.contract = contract(true);
  options.error_model = model.get();
  options.threads = options_.threads;
  const SelectOutputs first = subject_.select(inputs);
  outcome.judged = judge_outputs(inputs, first, options);
  if (outcome.judged->status == Status::fail)
    return found(outcome, PluginProperty::contract, outcome.judged->reason);
  again(subject_, outcome, [&] {
    const std::int64_t row = first_difference(first.blocks, subject_.select(inputs).blocks, options.contract);
    if (row >= 0)
      found(outcome, PluginProperty::repeat, fmt::format("the same call gave row {} another selection", row));
  });
  // A row's scores may have other bits in another batch, and then the selection on them: on its own scores
  // alone a selection must not.
  SelectInputs given = inputs;
  if (first.scores) {
    given.scores = first.scores->view();
    given.index_query.reset();
    given.index_key.reset();
  }
  for (const RowChoice& choice : row_choices(given)) {
    if (outcome.finding) return;
    const RowBatch batch(given, choice.rows);
    const SelectOutputs part = subject_.select(batch.inputs());
    VariationReport& variation = report_of(outcome, choice.name);
    ++variation.calls;
    for (std::size_t i = 0; i < choice.rows.size(); ++i) {
      const std::int64_t row = choice.rows[i];
      ++variation.rows;
      variation.rows_selecting += visible_count(given, row) > given.geometry.block_topk;
      if (same_choice(line_of<std::int32_t>(first.blocks, row),
                      line_of<std::int32_t>(part.blocks, static_cast<std::int64_t>(i)), options.contract))
        continue;
      ++variation.rows_changed;
      found(outcome, PluginProperty::batch,
            fmt::format("{}: row {} selects other blocks in a call of {} rows", choice.name, row,
                        choice.rows.size()));
    }
  }
}

PluginOutcome PluginTrial::judge(const PagedSelectInputs& inputs) {
  PluginOutcome outcome;
  subject_.arrange(Arrangement::canaries, 0xA5);
  try {
    judge_paged(inputs, outcome);
  } catch (const UnsupportedCase& unsupported) {
    outcome.unsupported = unsupported.what();
  } catch (const PluginFault& fault) {
    found(outcome, property_of(fault, Arrangement::canaries), fault.what());
  }
  return outcome;
}

void PluginTrial::judge_paged(const PagedSelectInputs& inputs, PluginOutcome& outcome) {
  const auto model =
      error_model_for(options_.capability, inputs.geometry.index_heads, inputs.geometry.index_head_dim);
  JudgeOptions options;
  options.contract = contract(false);
  options.error_model = model.get();
  options.threads = options_.threads;
  const PagedSelectOutputs first = subject_.select_paged(inputs);
  PagedJudgement judgement = judge_outputs(inputs, first, options);
  outcome.judged = std::move(judgement.tokens);
  if (outcome.judged->status == Status::fail)
    return found(outcome, PluginProperty::contract, "tokens: " + outcome.judged->reason);
  if (judgement.blocks && judgement.blocks->status == Status::fail)
    return found(outcome, PluginProperty::contract, "blocks: " + judgement.blocks->reason);
  const auto compare = [&](const PagedSelectOutputs& other, PluginProperty property, const char* how) {
    std::int64_t row = first_difference(first.selected_tokens, other.selected_tokens, options.contract);
    if (row < 0) row = first_difference(*first.selected_blocks, *other.selected_blocks, options.contract);
    if (row >= 0) found(outcome, property, fmt::format("{} row {} another selection", how, row));
  };
  again(subject_, outcome,
        [&] { compare(subject_.select_paged(inputs), PluginProperty::repeat, "the same call gave"); });
  if (outcome.finding || inputs.page_table.extent(0) < 2) return;
  PerRequestSubject alone(std::shared_ptr<SelectSubject>(&subject_, [](SelectSubject*) {}));
  ++report_of(outcome, "request_alone").calls;
  compare(alone.select_paged(inputs), PluginProperty::batch, "its request alone gave");
}

}  // namespace plumbline

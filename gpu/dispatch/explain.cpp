#include "gpu/dispatch/explain.h"

#include <iterator>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string gate_text(const Gate& gate) {
  return fmt::format("{} (observed {}, required {})", gate.name, gate.observed, gate.required);
}

std::string candidate_text(const Candidate& candidate, bool forced) {
  const Gate* failed = candidate.first_failed();
  if (failed == nullptr) {
    const std::size_t count = candidate.gates.size();
    return count == 0
               ? "yes"
               : fmt::format("yes: {} gate{} hold{}", count, count == 1 ? "" : "s", count == 1 ? "s" : "");
  }
  if (!forced) return "no: " + gate_text(*failed);
  if (candidate.can_run()) return "forced past " + gate_text(*failed);
  for (const Gate& gate : candidate.gates) {
    if (!gate.passed && gate.kind == Gate::Kind::requirement) return "cannot be forced: " + gate_text(gate);
  }
  return "";
}

std::string status_text(const Decision& decision) {
  if (decision.supported()) return "";
  if (decision.route == Route::none) return "  UNSUPPORTED (every candidate is rejected)";
  return has_kernel(decision.route) ? "  UNSUPPORTED (a requirement fails)"
                                    : "  UNSUPPORTED (no kernel here)";
}

/// Whether the candidate was made by force: the forced route itself or the operation it is a variant of.
bool is_forced(const Decision& decision, const Candidate& candidate) {
  return decision.forced &&
         (candidate.route == decision.route || candidate.route == operation_of(decision.route));
}

void write_decision(Out out, Stage stage, const Decision& decision) {
  fmt::format_to(out, "    {}: {}{}{}\n", name_of(stage), name_of(decision.route),
                 decision.forced ? "  forced" : "", status_text(decision));
  for (const Candidate& candidate : decision.candidates) {
    fmt::format_to(out, "      {:<28} {}\n", name_of(candidate.route),
                   candidate_text(candidate, is_forced(decision, candidate)));
  }
}

void write_policy(Out out, const Policy& policy) {
  if (!policy.active()) {
    fmt::format_to(out, "policy {:016x}: family inactive\n", policy.hash());
    return;
  }
  fmt::format_to(out, "policy {:016x}:", policy.hash());
  bool all_default = true;
  for (const PolicyFieldInfo& info : policy_fields()) {
    if (policy.source(info.field) == "default") continue;
    all_default = false;
    fmt::format_to(out, " {} from {};", info.name, policy.source(info.field));
  }
  fmt::format_to(out, "{}\n", all_default ? " all defaults" : " others default");
}

void write_group(Out out, const ChunkGroup& group) {
  fmt::format_to(out, "  {} chunk{} of {} rows from row {}", group.count, group.count == 1 ? "" : "s",
                 group.rows, group.first_row);
  if (group.tiles.count() > 1)
    fmt::format_to(out, ", {} tiles of {} columns", group.tiles.count(), group.tiles.piece);
  fmt::format_to(out, "\n");
  write_decision(out, Stage::score, group.score);
  write_decision(out, Stage::topk, group.topk);
  write_decision(out, Stage::expand, group.expand);
}

}  // namespace

std::string explain(const Plan& plan) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "capability {}, gates {}, {} rows, nonce {:016x}\n", to_string(plan.capability),
                 plan.gates, plan.rows, plan.nonce);
  write_policy(out, plan.policy);
  if (plan.rows == 0) fmt::format_to(out, "no rows: nothing runs\n");
  if (plan.select) {
    fmt::format_to(out, "selection of all rows, in place of the scores and top-k below\n");
    write_decision(out, Stage::select, *plan.select);
  }
  for (const SegmentPlan& segment : plan.segments) {
    fmt::format_to(out, "segment of rows {}-{}{}: {} score columns\n", segment.segment.rows.begin,
                   segment.segment.rows.end - 1,
                   segment.segment.request ? fmt::format(" (request {})", *segment.segment.request) : "",
                   segment.score_columns);
    for (const ChunkGroup& group : segment.groups) write_group(out, group);
  }
  if (plan.attention) {
    const AttentionLaunch& launch = plan.attention->launch;
    fmt::format_to(out, "attention of all rows: tiles of {} tokens, {} splits, {} warps\n", launch.block_n,
                   launch.splits, launch.warps);
    write_decision(out, Stage::attention, plan.attention->decision);
  }
  return text;
}

}  // namespace plumbline::dispatch

#include "gpu/dispatch/plan.h"

#include <iterator>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

void write_decision(std::string& out, const Decision& decision) {
  fmt::format_to(std::back_inserter(out), "  {}{}\n", name_of(decision.route),
                 decision.forced ? " forced" : "");
  for (const Candidate& candidate : decision.candidates) {
    const Gate* failed = candidate.first_failed();
    if (failed == nullptr) continue;
    fmt::format_to(std::back_inserter(out), "   {} {} | {} | {}\n", name_of(candidate.route), failed->name,
                   failed->observed, failed->required);
  }
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string out = fmt::format("plan 1\ncapability {}\ngates {}\npolicy {:016x}\nrows {}\n",
                                to_string(plan.capability), plan.gates, plan.policy.hash(), plan.rows);
  for (const SegmentPlan& segment : plan.segments) {
    fmt::format_to(std::back_inserter(out), "segment {} {} request {} columns {} chunk {}\n",
                   segment.segment.rows.begin, segment.segment.rows.end, segment.segment.request.value_or(-1),
                   segment.score_columns, segment.chunks.piece);
    for (const ChunkGroup& group : segment.groups) {
      fmt::format_to(std::back_inserter(out), " chunks {} {} x{} tile {}{}\n", group.first_row, group.rows,
                     group.count, group.tiles.piece, group.topk_from_sidecar ? " sidecar" : "");
      write_decision(out, group.score);
      write_decision(out, group.topk);
      write_decision(out, group.expand);
    }
  }
  if (plan.select) {
    out += "select\n";
    write_decision(out, *plan.select);
  }
  if (plan.attention) {
    const AttentionLaunch& launch = plan.attention->launch;
    fmt::format_to(std::back_inserter(out), "attention {} {} {}\n", launch.block_n, launch.splits,
                   launch.warps);
    write_decision(out, plan.attention->decision);
  }
  return out;
}

}  // namespace plumbline::dispatch

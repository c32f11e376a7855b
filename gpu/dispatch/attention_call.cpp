#include "gpu/dispatch/attention_call.h"

#include "gpu/dispatch/attention_routes.h"
#include "gpu/dispatch/hash.h"

#include <stdexcept>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

std::string text_of(const AttentionBatch& batch, Capability capability, const AttentionCall& call) {
  const AttentionLaunch& launch = call.plan.launch;
  return fmt::format(
      "attention {} on {}: query {} {}, cache {} {}, list {}, block_n {}, splits {}, warps {}, {}",
      name_of(call.plan.decision.route), to_string(capability), name_of(batch.query.type),
      to_string(batch.query.shape), name_of(batch.key_cache.type), to_string(batch.key_cache.shape),
      to_string(batch.indices.shape), launch.block_n, launch.splits, launch.warps, name_of(call.kernel));
}

}  // namespace

Kernel attention_kernel(Capability capability, bool portable) {
  return capability.at_least(80) && !portable ? Kernel::attention_tensor : Kernel::attention_portable;
}

AttentionCall plan_attention(const AttentionBatch& batch, Capability capability,
                             const AttentionForce& force) {
  if (force.route && (stage_of(*force.route) != Stage::attention || !has_kernel(*force.route)))
    throw std::invalid_argument(
        fmt::format("forced route {}: attention has no such kernel", name_of(*force.route)));
  if (force.splits && (*force.splits < 0 || *force.splits > kMostSplits))
    throw std::invalid_argument(fmt::format("{} splits: expected 0 to {}", *force.splits, kMostSplits));
  PlanInput input;
  input.capability = capability;
  input.batch.query = batch.query;  // the rows
  input.batch.attention = batch;
  input.forced.attention = force.route;
  AttentionCall call;
  call.plan = decide_attention(input);
  if (force.splits) call.plan.launch = row_launch(batch.indices.extent(1), *force.splits);
  if (call.plan.decision.route == Route::attention_direct) call.plan.launch.splits = 1;
  call.kernel = attention_kernel(capability, force.portable);
  call.planned.nonce = hash_text(text_of(batch, capability, call));
  if (batch.query.extent(0) == 0 || !call.plan.decision.supported()) return call;
  const Route route = call.plan.decision.route;
  call.planned.launches.push_back({route, call.kernel, 1, 1});
  if (call.plan.launch.splits > 1) call.planned.launches.push_back({route, Kernel::attention_merge, 1, 1});
  return call;
}

}  // namespace plumbline::dispatch

#include "oracle/run/witnessed_subject.h"

#include "gpu/dispatch/split_plan.h"
#include "oracle/run/batch_from_case.h"
#include "oracle/run/forced_routes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr const char* kSplitBesidePaged = "score.cublas_split+score.paged+topk.lexicographic";
constexpr const char* kSplit = "score.cublas_split+topk.lexicographic";

dispatch::Plan plan_of(const Watch& watch, const dispatch::Batch& batch) {
  using dispatch::SplitPlan;
  if (watch.route == kSplit)
    return dispatch::make_plan(dispatch::split_input(batch, SplitPlan::every_request));
  if (watch.route == kSplitBesidePaged)
    return dispatch::make_plan(dispatch::split_input(batch, SplitPlan::longest_requests));
  dispatch::PlanInput input;
  input.capability = watch.capability;
  input.gates = dispatch::gate_set("proven");
  // No kernel of ours stands behind the exact top-k's variant for batches of 5 and 10 rows.
  input.policy = dispatch::Policy({{dispatch::PolicyField::qsa_mtp_topk, 0}}, {}, true);
  input.batch = batch;
  input.forced = forced_routes(route_names(watch.route));
  return dispatch::make_plan(input);
}

/// Launches that began while one before them still ran.
std::int64_t overlapping(const dispatch::CallTrace& seen) {
  if (!seen.records) return 0;
  std::vector<std::pair<double, double>> spans;
  for (const dispatch::KernelRecord& record : *seen.records)
    spans.emplace_back(record.start_us, record.end_us);
  std::sort(spans.begin(), spans.end());
  std::int64_t count = 0;
  double busy_until = -1;
  for (const auto& [start, end] : spans) {
    if (start < busy_until) ++count;
    busy_until = std::max(busy_until, end);
  }
  return count;
}

}  // namespace

WitnessedSubject::WitnessedSubject(std::shared_ptr<SelectSubject> subject, Watch watch)
    : subject_(std::move(subject)), watch_(std::move(watch)) {}

template <typename Ask>
auto WitnessedSubject::watched(const dispatch::Batch& batch, const Ask& ask) {
  const dispatch::Plan plan = plan_of(watch_, batch);
  watch_.tracer->begin(plan.nonce);
  auto outputs = [&] {
    try {
      return ask();
    } catch (...) {
      watch_.tracer->end();
      throw;
    }
  }();
  reconcile(plan, batch, watch_.tracer->end());
  return outputs;
}

void WitnessedSubject::reconcile(const dispatch::Plan& plan, const dispatch::Batch& batch,
                                 const dispatch::CallTrace& seen) {
  last_products_.clear();
  last_overlapping_ = overlapping(seen);
  dispatch::Reconciliation call;
  if (plan.selection_supported()) {
    call = dispatch::reconcile(dispatch::planned_call(plan, batch, watch_.stages, watch_.times), seen);
  } else {
    call.misses.push_back(
        fmt::format("the plan has no kernel for {}, and yet the call was served", watch_.route));
  }
  for (const dispatch::RouteHit& hit : call.hits) {
    for (const dispatch::SymbolHit& symbol : hit.symbols) {
      if (dispatch::kernel_of_symbol(symbol.symbol) == dispatch::Kernel::library_product)
        last_products_.push_back(symbol.symbol);
    }
  }
  evidence_.add(call);
}

SelectOutputs WitnessedSubject::select(const SelectInputs& inputs) {
  return watched(batch_of(inputs), [&] { return subject_->select(inputs); });
}

PagedSelectOutputs WitnessedSubject::select_paged(const PagedSelectInputs& inputs) {
  return watched(batch_of(inputs), [&] { return subject_->select_paged(inputs); });
}

}  // namespace plumbline

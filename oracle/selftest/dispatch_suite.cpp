#include "gpu/dispatch/plan.h"
#include "gpu/dispatch/planned_call.h"
#include "gpu/dispatch/reconcile.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/mutant.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

// Dispatches that plan by a changed rule, and calls whose witnesses tell of something else than was planned.
namespace plumbline::selftest {
namespace {

using dispatch::Capability, dispatch::Kernel, dispatch::Route;

/// A step of one request under one engine's settings.
struct Step {
  Capability capability;
  std::string gates;
  std::int64_t rows = 0, length = 0;
  dispatch::Environment environment;
  dispatch::TypedPolicy typed;
};

struct DispatchFault {
  std::string id, hazard, about, check;
  std::function<void(Step&)> misread = {};               ///< what the dispatch takes for its input
  std::function<void(dispatch::CallTrace&)> forge = {};  ///< what the witnesses say
};

/// ROUTES.md §2.3, conditions 1, 2, 3 and 8 for float16 tensors of one request: 4 heads of 128, ratio 4.
bool takes_the_product(const Step& step) {
  const auto typed = [&](dispatch::PolicyField field, const char* alias, std::int64_t otherwise) {
    if (const auto found = step.typed.find(field); found != step.typed.end()) return found->second;
    if (const auto found = step.environment.find(alias); found != step.environment.end())
      return static_cast<std::int64_t>(std::stoll(found->second));
    return otherwise;
  };
  const bool enabled =
      typed(dispatch::PolicyField::qsa_indexer_cublas, "VLLM_SM70_QSA_INDEXER_CUBLAS", 1) == 1;
  const std::int64_t least =
      typed(dispatch::PolicyField::qsa_cublas_min_rows, "VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS", 512);
  const std::int64_t columns = std::max<std::int64_t>(512, step.length / 4);
  const bool admitted =
      step.gates == "exact70" ? step.capability == Capability{7, 0} : step.capability.major == 7;
  return enabled && admitted && step.rows >= least && step.rows * columns >= 1024 * 1024;
}

std::vector<Step> steps() {
  std::vector<Step> all;
  for (const char* gates : {"exact70", "family7x"}) {
    for (const Capability capability : {Capability{7, 0}, {7, 2}, {7, 5}, {8, 0}, {9, 0}}) {
      for (const std::int64_t rows : {511, 512, 513, 1024}) {
        for (const std::int64_t length : {8188, 8192, 8196, 29000})
          all.push_back({capability, gates, rows, length, {}, {}});
      }
    }
  }
  const Step plain{{7, 5}, "family7x", 512, 29000, {}, {}};
  Step disabled = plain, fewer = plain, typed = plain, between = plain;
  disabled.environment["VLLM_SM70_QSA_INDEXER_CUBLAS"] = "0";
  fewer.environment["VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS"] = "513";
  typed.environment["VLLM_SM70_QSA_INDEXER_CUBLAS"] = "0";
  typed.typed[dispatch::PolicyField::qsa_indexer_cublas] = 1;
  between.rows = 300;
  between.environment["VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS"] = "256";
  all.insert(all.end(), {disabled, fewer, typed, between});
  return all;
}

dispatch::PlanInput plan_input(const Step& step) {
  dispatch::PlanInput input;
  input.capability = step.capability;
  input.gates = dispatch::gate_set(step.gates);
  input.policy = dispatch::Policy(step.typed, step.environment, true);
  input.batch = dispatch::make_batch({{step.rows, step.length}}, 16, (step.length / 4 + 15) / 16);
  return input;
}

Route scorer_of(const Step& step) {
  return dispatch::make_plan(plan_input(step)).segments.at(0).groups.at(0).score.route;
}

std::string text_of(const Step& step) {
  return fmt::format("{} rows, {} tokens on {} under {}", step.rows, step.length, to_string(step.capability),
                     step.gates);
}

/// What honest witnesses see of a call that ran as planned, each launch as often as it must.
dispatch::CallTrace as_planned(const dispatch::PlannedCall& planned) {
  dispatch::CallTrace trace;
  trace.tags.emplace();
  trace.records.emplace();
  for (const dispatch::PlannedLaunch& launch : planned.launches) {
    const bool library = launch.kernel == Kernel::library_product;
    for (std::int64_t i = 0; i < launch.least; ++i) {
      if (!library) trace.tags->push_back({planned.nonce, launch.route, launch.kernel});
      const std::string symbol = library
                                     ? "nvjet_hsh_128x256"
                                     : fmt::format("void plumbline::gpu::(anonymous namespace)::{}_kernel<1>",
                                                   name_of(launch.kernel));
      trace.records->push_back({planned.nonce, symbol, {16, 1, 1}, 100, 103});
    }
  }
  return trace;
}

std::vector<DispatchFault> dispatch_faults() {
  using dispatch::CallTrace, dispatch::PolicyField;
  return {
      {"rows_one_too_many", "ROUTES §2.3", "asks for one row more", "gates", [](Step& step) { --step.rows; }},
      {"rows_one_too_few", "ROUTES §2.3", "asks for one row less", "gates", [](Step& step) { ++step.rows; }},
      {"work_of_tokens", "ROUTES §2.3", "counts tokens where blocks are meant", "gates",
       [](Step& step) { step.length *= 4; }},
      {"exactly_for_family", "ROUTES §2.2", "admits 7.0 alone where the family is meant", "gates",
       [](Step& step) { step.gates = "exact70"; }},
      {"family_for_exactly", "ROUTES §2.2", "admits the family where 7.0 alone is meant", "gates",
       [](Step& step) { step.gates = "family7x"; }},
      {"at_least_for_family", "ROUTES §2.2", "admits what is newer than the family", "gates",
       [](Step& step) {
         if (step.capability.major > 7) step.capability = {7, 5};
       }},
      {"environment_unread", "ROUTES §2.1", "reads the environment before it is set", "gates",
       [](Step& step) { step.environment.clear(); }},
      {"environment_over_typed", "ROUTES §2.1", "an alias wins over a typed value", "gates",
       [](Step& step) {
         if (!step.environment.empty()) step.typed.clear();
       }},
      {"launch_left_out",
       "ROUTES §7",
       "a planned kernel is not launched",
       "reconcile",
       {},
       [](CallTrace& trace) {
         trace.tags->pop_back();
         trace.records->pop_back();
       }},
      {"launched_twice",
       "ROUTES §7",
       "a kernel is launched twice",
       "reconcile",
       {},
       [](CallTrace& trace) {
         trace.tags->push_back(trace.tags->back());
         trace.records->push_back(trace.records->back());
       }},
      {"plan_of_another_call",
       "CASES D6",
       "a graph replays the plan of the call before",
       "reconcile",
       {},
       [](CallTrace& trace) {
         for (dispatch::TagHit& tag : *trace.tags) ++tag.nonce;
       }},
      {"route_renamed",
       "ROUTES §7",
       "the kernel that ran says it was the planned route's",
       "reconcile",
       {},
       [](CallTrace& trace) { trace.records->back().symbol = "void other::topk_kernel<1>"; }},
      {"tag_without_a_launch",
       "ROUTES §7",
       "a tag is written by something that no profiler saw",
       "reconcile",
       {},
       [](CallTrace& trace) { trace.records->pop_back(); }},
      {"records_lost",
       "ROUTES §7",
       "the profiler dropped records and does not count them",
       "reconcile",
       {},
       [](CallTrace& trace) { trace.records_lost = 1; }},
      {"nobody_watched",
       "ROUTES §7",
       "there is no witness at all",
       "reconcile",
       {},
       [](CallTrace& trace) {
         trace.tags.reset();
         trace.records.reset();
       }},
  };
}

Trial try_dispatch(const DispatchFault& fault) {
  Trial trial;
  for (const Step& step : steps()) {
    ++trial.cases;
    Step read = step;
    if (fault.misread) fault.misread(read);
    const Route found = scorer_of(read);
    const Route expected = takes_the_product(step) ? Route::score_cublas_single : Route::score_paged;
    if (found != expected)
      accuse(trial, "gates",
             fmt::format("{}: {} in place of {}", text_of(step), name_of(found), name_of(expected)));
  }
  for (const std::int64_t rows : {64, 1024}) {
    ++trial.cases;
    const dispatch::PlanInput input = plan_input({{7, 5}, "family7x", rows, 29000, {}, {}});
    const dispatch::PlannedCall planned = planned_call(make_plan(input), input.batch);
    dispatch::CallTrace seen = as_planned(planned);
    if (fault.forge) fault.forge(seen);
    const dispatch::Reconciliation result = reconcile(planned, seen);
    if (!result.misses.empty())
      accuse(trial, "reconcile", fmt::format("{} rows: {}", rows, result.misses.front()));
  }
  return trial;
}

}  // namespace

Suite dispatch_suite() {
  Suite suite;
  suite.name = "dispatch";
  suite.generated = false;
  suite.checks = {"gates", "reconcile"};
  const auto faults = std::make_shared<const std::vector<DispatchFault>>(dispatch_faults());
  for (const DispatchFault& fault : *faults)
    suite.mutants.push_back({"dispatch." + fault.id, fault.hazard, fault.about, fault.check});
  suite.run = [faults](std::string_view id, std::uint64_t) {
    const auto found = std::ranges::find_if(
        *faults, [&](const DispatchFault& fault) { return "dispatch." + fault.id == id; });
    return try_dispatch(found == faults->end() ? DispatchFault{} : *found);
  };
  return suite;
}

}  // namespace plumbline::selftest

#include "oracle/run/verify_run.h"

#include "oracle/run/attention_checks.h"
#include "oracle/run/device_checks.h"
#include "oracle/run/generated_checks.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/indexer_checks.h"
#include "oracle/run/repro.h"
#include "oracle/summation/split_checks.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <iterator>

namespace plumbline {
namespace {

PlannedCheck no_device(const std::string& reason) {
  PlannedCheck check;
  check.name = "cuda";
  check.kind = CheckKind::device;
  check.source = "every case above";
  check.subject = "cuda";
  check.repro = repro_line({"plumbline", "verify", "--filter", exact_filter(check.name)}, "subject cuda");
  check.run = [reason](CheckResult& result) {
    result.status = Status::not_executed;
    result.reason = reason + "; nothing above speaks of CUDA kernels on this machine";
  };
  return check;
}

}  // namespace

VerifyPlan plan_verify(const VerifyOptions& options) {
  VerifyPlan plan;
  plan.request = {options.filter_text, options.seed_shift, options.shard};
  plan.checks = golden_checks(options.fixtures, options.threads);
  const auto append = [&](std::vector<PlannedCheck> more) {
    plan.checks.insert(plan.checks.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
  };
  const auto on_device = [&](const DeviceSubjects& device) {
    if (device.routes.empty()) return std::vector<PlannedCheck>{no_device(device.reason)};
    std::vector<PlannedCheck> checks =
        device_checks(device, options.fixtures, options.seed_shift, options.threads);
    for (PlannedCheck& check : attention_checks(device, options.fixtures, options.seed_shift))
      checks.push_back(std::move(check));
    if (!device.indexer) return checks;
    for (PlannedCheck& check : indexer_checks(device, options.fixtures, options.seed_shift))
      checks.push_back(std::move(check));
    return checks;
  };
  const auto selected = [&](const PlannedCheck& check) {
    return options.filter.matches(check.name) && options.shard.holds(check.name);
  };
  append(generated_checks(std::make_shared<ReferenceSubject>(), options.seed_shift, options.threads));
  append(split_checks(options.seed_shift, options.fixtures));
  append(reference_attention_checks(options.seed_shift));
  // A device that is offered may not be there: then one check says so.
  const bool needed =
      std::ranges::any_of(on_device(options.offered), selected) || selected(no_device("not looked for"));
  if (needed) {
    plan.device = options.probe ? options.probe() : options.offered;
    append(on_device(plan.device));
  }
  std::erase_if(plan.checks, [&](const PlannedCheck& check) { return !selected(check); });
  return plan;
}

RunReport run_checks(const VerifyPlan& plan,
                     const std::function<void(std::size_t number, const PlannedCheck&)>& before) {
  RunReport run;
  run.machine = this_machine();
  run.machine.device = plan.device.device;
  run.request = plan.request;
  run.capability = plan.device.capability;
  if (!run.capability.empty()) run.driver = device_driver();
  if (plan.device.tracer) run.witnesses = plan.device.tracer->witnesses();
  for (std::size_t i = 0; i < plan.checks.size(); ++i) {
    if (before) before(i, plan.checks[i]);
    run.checks.push_back(run_check(plan.checks[i]));
  }
  return run;
}

}  // namespace plumbline

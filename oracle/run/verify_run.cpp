#include "oracle/run/verify_run.h"

#include "oracle/run/device_checks.h"
#include "oracle/run/generated_checks.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/indexer_checks.h"
#include "oracle/run/repro.h"
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

std::vector<PlannedCheck> plan_verify(const VerifyOptions& options) {
  std::vector<PlannedCheck> checks = golden_checks(options.fixtures, options.threads);
  const auto append = [&](std::vector<PlannedCheck> more) {
    checks.insert(checks.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(generated_checks(std::make_shared<ReferenceSubject>(), options.seed_shift, options.threads));
  if (options.device.routes.empty()) {
    checks.push_back(no_device(options.device.reason));
  } else {
    append(device_checks(options.device, options.fixtures, options.seed_shift, options.threads));
    if (options.device.indexer)
      append(indexer_checks(options.device.indexer, options.device.device, options.fixtures,
                            options.seed_shift));
  }
  std::erase_if(checks, [&](const PlannedCheck& check) { return !options.filter.matches(check.name); });
  return checks;
}

RunReport run_checks(const std::vector<PlannedCheck>& checks,
                     const std::function<void(std::size_t number, const PlannedCheck&)>& before,
                     const std::string& device) {
  RunReport run;
  run.machine = this_machine();
  run.machine.device = device;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (before) before(i, checks[i]);
    run.checks.push_back(run_check(checks[i]));
  }
  return run;
}

}  // namespace plumbline

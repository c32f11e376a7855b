#pragma once

#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Every route on every generated family and every selection golden ("cuda/select.fused/generated/ties"),
/// five answers each. A route is judged twice: by its own contract on the scores it selected on, and by
/// `within_error` on exact scores under the device's error model, where there are query and key. Answers that
/// differ in a bit fail. A case the route has no kernel for is UNSUPPORTED. Then every family once more,
/// asked for in other ways ("cuda/select.fused/varied/generated/ties", VariationTrial). Where the device is
/// watched, every call's plan is reconciled with what ran: a miss makes the check ROUTE_MISSED.
std::vector<PlannedCheck> device_checks(const DeviceSubjects& device, const std::string& fixtures,
                                        std::uint64_t seed_shift, int threads);

}  // namespace plumbline

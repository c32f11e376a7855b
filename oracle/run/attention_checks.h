#pragma once

#include "fixtures/capture/attention_capture.h"
#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// The ways through attention that a device's subjects take: planned by the batch, direct, and in 2, 3, 8, 16
/// and 64 splits on the device's own kernel and, direct and in 3 splits, on the portable one; without a
/// maker.
std::vector<DeviceAttention> attention_ways();

/// "attention/FAMILY": the reference under every rounding profile within that profile's bound.
std::vector<PlannedCheck> reference_attention_checks(std::uint64_t seed_shift);

/// "cuda/attention/FAMILY/WAY" and "cuda/attention/golden/FILE/WAY": output and log-sum-exp within the
/// derived bound, the same bits five times over, and of ways that plan by the row alone the same bits of a
/// row alone and with the batch turned around; every call reconciled with its plan where something watches.
std::vector<PlannedCheck> attention_checks(const DeviceSubjects& device, const std::string& fixtures,
                                           std::uint64_t seed_shift);

/// Whether a row of `a` and a row of `b` have the same bits, output and log-sum-exp.
bool same_row(const AttentionOutputs& a, std::int64_t row_a, const AttentionOutputs& b, std::int64_t row_b);

/// What cuda/attention checks do, for a subject on trial. `watch` may be null.
void try_attention(const AttentionCase& data, AttentionSubject& subject, const DeviceAttention& way,
                   const std::string& capability, dispatch::CallTracer* watch, CheckResult& check);

}  // namespace plumbline

#pragma once

#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// A device's index projection, norms, RoPE and compression against the reference under hf_cuda's roundings,
/// element by element within the derived bounds; the store's bytes where nothing is computed: untouched
/// slots, the ring, one split of a sequence against another.
///
/// "cuda/indexer/golden/NAME": the recorded projections of every sparse layer of a model capture, call by
/// call, and the projection itself from its recorded input. "cuda/indexer/taps/NAME": the
/// capture's taps as the device makes them (replay_on_device). "cuda/indexer/splits/…": any cut of some
/// sequences leaves the same bytes, padded rows of NaN between. "cuda/indexer/rollback/…": drafts of NaN, 1 …
/// 8 of them, any number accepted, at every place of a group, leave no trace. Where
/// the device is watched, every call is reconciled with its plan: a miss makes the check ROUTE_MISSED.
std::vector<PlannedCheck> indexer_checks(const DeviceSubjects& device, const std::string& fixtures,
                                         std::uint64_t seed_shift);

}  // namespace plumbline

#pragma once

#include "oracle/replay/replay_report.h"
#include "oracle/report/run_report.h"
#include "oracle/run/device_subjects.h"

#include <optional>
#include <string>

namespace plumbline {

/// A model capture's taps as a device's kernels make them.
struct DeviceReplay {
  ReplayReport replay;
  std::optional<RouteEvidence> routes;  ///< where the device is watched
};

/// Puts what the kernels compute of a model capture to them, each operation on the capture's own inputs, and
/// judges their results tap by tap: index projection, queries normed alone and rotated, compressed keys, the
/// ring's raw keys, by the reference's bounds under hf_cuda's roundings; scores by the device's error model
/// over its own queries and keys; blocks, byte for byte the canonical ones of the scores they were selected
/// on, the capture's or the device's; their expansion to tokens. Scores, blocks and tokens by every route of
/// the device that promises the canonical selection, or by the one named `route`. Beside each tap stands how
/// it compares with the capture's record.
///
/// Taps of the capture that no kernel computes, or whose geometry a kernel has no code for, are listed as
/// unsupported. FAIL as replay_capture(); ROUTE_MISSED where the witnesses did not see what was planned;
/// UNSUPPORTED where nothing was computed, NOT_EXECUTED without a device. Of the request, mode must be
/// teacher and `profile` is not read. Throws InputError as replay_capture() does, and for a route that is not
/// there.
DeviceReplay replay_on_device(const std::string& path, const DeviceSubjects& device,
                              const ReplayRequest& request, const std::string& route = "");

}  // namespace plumbline

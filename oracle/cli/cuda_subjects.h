#pragma once

#include "oracle/run/device_subjects.h"

#include <cstdint>

namespace plumbline {

/// Whether a tracer watches the subjects' calls.
enum class Watched : std::uint8_t { no, yes };

/// The CUDA routes of this build on this machine's current device, or why there are none.
DeviceSubjects cuda_subjects(Watched watched);

/// The same without looking for a device: what cuda_subjects could offer at best.
DeviceSubjects offered_cuda_subjects();

}  // namespace plumbline

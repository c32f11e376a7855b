#pragma once

#include "oracle/run/device_subjects.h"

namespace plumbline {

/// The CUDA routes of this build on this machine's current device, or why there are none.
DeviceSubjects cuda_subjects();

}  // namespace plumbline

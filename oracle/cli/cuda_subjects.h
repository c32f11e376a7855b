#pragma once

#include "fixtures/product_subject.h"
#include "oracle/run/device_subjects.h"

#include <cstdint>
#include <memory>
#include <string>

namespace plumbline {

/// Whether a tracer watches the subjects' calls.
enum class Watched : std::uint8_t { no, yes };

/// The CUDA routes of this build on this machine's current device, or why there are none.
DeviceSubjects cuda_subjects(Watched watched);

/// The same without looking for a device: what cuda_subjects could offer at best.
DeviceSubjects offered_cuda_subjects();

/// A product of this build's device by its route ("mma.sync", "cublas"); null for another name.
std::shared_ptr<ProductSubject> cuda_product(const std::string& route);

}  // namespace plumbline

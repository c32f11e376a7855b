#pragma once

#include "fixtures/foreign_memory.h"

#include <memory>

namespace plumbline::gpu {

/// Memory and a stream of the current device, for a foreign kernel. Throws CudaError where there is none.
std::unique_ptr<ForeignMemory> cuda_memory();

}  // namespace plumbline::gpu

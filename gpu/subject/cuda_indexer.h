#pragma once

#include "fixtures/indexer_subject.h"
#include "gpu/trace/tracer.h"

#include <memory>

namespace plumbline::gpu {

/// The index kernels (gpu/index) as a subject on the current device. Every step uploads its inputs, poisons
/// its queries, and finds its inputs as they were, else throws CudaError. Throws UnsupportedCase for models
/// the kernels have no code for. Launches carry the tracer's tags, where there is one.
std::unique_ptr<IndexerSubject> cuda_indexer(std::shared_ptr<Tracer> tracer = {});

}  // namespace plumbline::gpu

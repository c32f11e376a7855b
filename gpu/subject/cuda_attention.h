#pragma once

#include "fixtures/attention_subject.h"
#include "gpu/dispatch/attention_call.h"
#include "gpu/trace/tracer.h"

#include <functional>
#include <memory>
#include <string>

namespace plumbline::gpu {

/// How a call is planned: a pure function of its shapes.
using PlanAttention = std::function<dispatch::AttentionCall(const AttentionInputs&)>;

/// The attention kernels as a subject on the current device, "cuda:NAME". Every call uploads its inputs,
/// poisons its outputs and the parts of its splits, and finds its inputs as they were, else throws CudaError.
/// Launches carry the tracer's tags, where there is one. Throws UnsupportedCase for inputs no kernel has code
/// for.
std::unique_ptr<AttentionSubject> cuda_attention(const std::string& name, PlanAttention plan,
                                                 std::shared_ptr<Tracer> tracer = {});

}  // namespace plumbline::gpu

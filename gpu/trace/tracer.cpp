#include "gpu/trace/tracer.h"

#include "gpu/trace/kernel_witness.h"
#include "gpu/trace/trace_buffer.h"

#include <utility>

namespace plumbline::gpu {

Tracer::Tracer() : tags_(std::make_unique<TraceBuffer>()) {
  KernelWitnessProbe probe = open_kernel_witness();
  kernels_ = std::move(probe.witness);
  no_kernels_ = std::move(probe.reason);
}

Tracer::~Tracer() = default;

void Tracer::begin(std::uint64_t nonce) {
  nonce_ = nonce;
  tags_->clear();
  if (kernels_) kernels_->begin(nonce);
}

dispatch::CallTrace Tracer::end() {
  dispatch::CallTrace trace;
  std::vector<dispatch::TagHit> tags = tags_->read(nonce_);
  if (kTagsCompiled) trace.tags = std::move(tags);
  if (kernels_) {
    KernelWitness::Contents seen = kernels_->end();
    trace.records = std::move(seen.records);
    trace.records_lost = seen.lost;
  }
  return trace;
}

void Tracer::restart() {
  tags_->clear();
  if (!kernels_) return;
  (void)kernels_->end();
  kernels_->begin(nonce_);
}

Trace Tracer::trace() const { return {tags_->log(), nonce_}; }

std::string Tracer::witnesses() const {
  const std::string tags = "device tags";
  if (!kTagsCompiled) return kernels_ ? kernels_->name() + " alone (device tags are compiled out)" : "none";
  return kernels_ ? tags + " and " + kernels_->name() : tags + " alone (" + no_kernels_ + ")";
}

}  // namespace plumbline::gpu

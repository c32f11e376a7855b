#include "oracle/cli/cuda_subjects.h"

#ifdef PLUMBLINE_WITH_CUDA
#include "gpu/subject/cuda_attention.h"
#include "gpu/subject/cuda_indexer.h"
#include "gpu/subject/cuda_products.h"
#include "gpu/subject/cuda_subject.h"
#include "oracle/run/attention_checks.h"
#include "oracle/run/batch_from_case.h"
#endif

namespace plumbline {

#ifdef PLUMBLINE_WITH_CUDA

namespace {

std::vector<DeviceRoute> device_routes(const std::shared_ptr<gpu::Tracer>& tracer) {
  using gpu::RunMode;
  const auto maker = [&](const std::string& name, RunMode mode) -> MakeSubject {
    return [name, options = gpu::SubjectOptions{mode, tracer}] {
      return std::shared_ptr<SelectSubject>(gpu::cuda_subject(name, options));
    };
  };
  std::vector<DeviceRoute> routes;
  for (const gpu::CudaRoute& route : gpu::cuda_routes()) {
    DeviceRoute offered;
    offered.name = route.name;
    offered.contract = *contract_from(route.topk_contract);
    offered.on_given_scores = route.on_given_scores;
    offered.one_request = route.one_request;
    offered.several_requests = route.several_requests;
    offered.library_scores = route.library_scores;
    offered.subject = maker(route.name, RunMode::plain);
    if (!route.scores_of.empty()) offered.scores_of = maker(route.scores_of, RunMode::plain);
    const auto vary = [&](const char* name, RunMode mode) {
      offered.variants.push_back({name, maker(route.name, mode), gpu::times_run(mode)});
    };
    vary("first_of_two_streams", RunMode::first_of_two_streams);
    vary("second_of_two_streams", RunMode::second_of_two_streams);
    vary("graph_replay", RunMode::graph_replay);
    routes.push_back(std::move(offered));
  }
  return routes;
}

MakeIndexer indexer(const std::shared_ptr<gpu::Tracer>& tracer) {
  return [tracer] { return std::shared_ptr<IndexerSubject>(gpu::cuda_indexer(tracer)); };
}

std::vector<DeviceAttention> attention_routes(const std::string& capability,
                                              const std::shared_ptr<gpu::Tracer>& tracer) {
  std::vector<DeviceAttention> ways = attention_ways();
  for (DeviceAttention& way : ways) {
    way.subject = [name = way.name, force = way.force, capability, tracer] {
      return std::shared_ptr<AttentionSubject>(gpu::cuda_attention(
          name,
          [force, capability](const AttentionInputs& inputs) {
            return dispatch::plan_attention(batch_of(inputs), dispatch::parse_capability(capability), force);
          },
          tracer));
    };
  }
  return ways;
}

}  // namespace

DeviceSubjects cuda_subjects(Watched watched) {
  const gpu::DeviceProbe probe = gpu::probe_device();
  DeviceSubjects subjects;
  subjects.reason = probe.reason;
  if (!probe.device) return subjects;
  const auto tracer = watched == Watched::yes ? std::make_shared<gpu::Tracer>() : nullptr;
  subjects.device = probe.device->name + ", " + probe.device->versions;
  subjects.capability = probe.device->capability;
  subjects.routes = device_routes(tracer);
  subjects.indexer = indexer(tracer);
  subjects.attention = attention_routes(subjects.capability, tracer);
  subjects.tracer = tracer;
  return subjects;
}

DeviceSubjects offered_cuda_subjects() {
  DeviceSubjects subjects;
  subjects.routes = device_routes(nullptr);
  subjects.indexer = indexer(nullptr);
  subjects.attention = attention_ways();
  return subjects;
}

std::shared_ptr<ProductSubject> cuda_product(const std::string& route) { return gpu::product_subject(route); }

#else

std::shared_ptr<ProductSubject> cuda_product(const std::string&) { return nullptr; }

DeviceSubjects offered_cuda_subjects() {
  DeviceSubjects subjects;
  subjects.reason = "this build has no CUDA kernels";
  return subjects;
}

DeviceSubjects cuda_subjects(Watched) { return offered_cuda_subjects(); }

#endif

}  // namespace plumbline

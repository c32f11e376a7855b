#include "oracle/cli/cuda_subjects.h"

#ifdef PLUMBLINE_WITH_CUDA
#include "gpu/subject/cuda_indexer.h"
#include "gpu/subject/cuda_subject.h"
#endif

namespace plumbline {

#ifdef PLUMBLINE_WITH_CUDA

DeviceSubjects cuda_subjects() {
  const gpu::DeviceProbe probe = gpu::probe_device();
  DeviceSubjects subjects;
  subjects.reason = probe.reason;
  if (!probe.device) return subjects;
  subjects.device = probe.device->name + ", " + probe.device->versions;
  subjects.capability = probe.device->capability;
  const auto maker = [](const std::string& name) {
    return [name] { return std::shared_ptr<SelectSubject>(gpu::cuda_subject(name)); };
  };
  for (const gpu::CudaRoute& route : gpu::cuda_routes()) {
    DeviceRoute offered;
    offered.name = route.name;
    offered.contract = *contract_from(route.topk_contract);
    offered.on_given_scores = route.on_given_scores;
    offered.one_request = route.one_request;
    offered.several_requests = route.several_requests;
    offered.subject = maker(route.name);
    if (!route.scores_of.empty()) offered.scores_of = maker(route.scores_of);
    subjects.routes.push_back(std::move(offered));
  }
  subjects.indexer = [] { return std::shared_ptr<IndexerSubject>(gpu::cuda_indexer()); };
  return subjects;
}

#else

DeviceSubjects cuda_subjects() {
  DeviceSubjects subjects;
  subjects.reason = "this build has no CUDA kernels";
  return subjects;
}

#endif

}  // namespace plumbline

#pragma once

#include "gpu/runtime/check.h"

#include <functional>

namespace plumbline::gpu {

/// Work captured once (after a run that lets buffers grow) and replayed.
class Graph {
 public:
  Graph(cudaStream_t stream, const std::function<void()>& work) {
    work();
    PLUMBLINE_CHECK(cudaStreamSynchronize(stream));
    cudaGraph_t graph = nullptr;
    PLUMBLINE_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    work();
    PLUMBLINE_CHECK(cudaStreamEndCapture(stream, &graph));
    PLUMBLINE_CHECK(cudaGraphInstantiate(&executable_, graph, 0));
    (void)cudaGraphDestroy(graph);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { (void)cudaGraphExecDestroy(executable_); }
  void launch(cudaStream_t stream) const { PLUMBLINE_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace plumbline::gpu

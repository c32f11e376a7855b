#pragma once

#include "fixtures/attention_subject.h"
#include "fixtures/indexer_subject.h"
#include "fixtures/subject.h"
#include "gpu/dispatch/attention_call.h"
#include "gpu/dispatch/call_trace.h"
#include "oracle/judge/contract.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

using MakeSubject = std::function<std::shared_ptr<SelectSubject>()>;
using MakeIndexer = std::function<std::shared_ptr<IndexerSubject>()>;

/// Another way to run a route's kernels, which may not change a bit of the answer.
struct DeviceVariant {
  std::string name;  ///< "graph_replay"
  MakeSubject subject;
  std::int64_t times = 1;  ///< that it runs the kernels a call
};

/// One forced route of a device, on trial.
struct DeviceRoute {
  std::string name;  ///< "score.paged+topk.lexicographic"
  /// What the route promises on the scores it selected on.
  Contract contract = Contract::canonical;
  bool on_given_scores = false;   ///< it has no scorer, and is put to cases that carry scores
  bool one_request = false;       ///< it takes one request a call, so a step of several is several calls
  bool several_requests = false;  ///< it is put to paged cases of several requests alone
  /// Its scores come from a library's product, whose kernel may depend on the shape of the call: the same row
  /// may get other bits in another batch.
  bool library_scores = false;
  MakeSubject subject = {};
  /// Of a route that writes no scores: one whose scores are, by its promise, the same bits. May be empty.
  MakeSubject scores_of = {};
  std::vector<DeviceVariant> variants = {};
};

/// One way through sparse attention on a device.
struct DeviceAttention {
  std::string name;                ///< "attention.splitk@8"
  dispatch::AttentionForce force;  ///< how its calls are planned
  std::function<std::shared_ptr<AttentionSubject>()> subject = {};
};

/// What the program can put on trial on this machine's device: nothing, and why, or every route.
struct DeviceSubjects {
  std::string reason;      ///< why there are no routes
  std::string device;      ///< "NVIDIA H200, CUDA driver API 13000, …"
  std::string capability;  ///< "9.0": chooses the error model of end-to-end judgements
  std::vector<DeviceRoute> routes;
  MakeIndexer indexer = {};  ///< may be empty
  std::vector<DeviceAttention> attention = {};
  /// Watches the calls of the routes' subjects; null where nothing can.
  std::shared_ptr<dispatch::CallTracer> tracer = {};
};

}  // namespace plumbline

#pragma once

#include "fixtures/indexer_subject.h"
#include "fixtures/subject.h"
#include "oracle/judge/contract.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// One forced route of a device, on trial.
struct DeviceRoute {
  std::string name;  ///< "score.paged+topk.lexicographic"
  /// What the route promises on the scores it selected on.
  Contract contract = Contract::canonical;
  bool on_given_scores = false;   ///< it has no scorer, and is put to cases that carry scores
  bool one_request = false;       ///< it takes one request a call, so a step of several is several calls
  bool several_requests = false;  ///< it is put to paged cases of several requests alone
  std::function<std::shared_ptr<SelectSubject>()> subject;
  /// Of a route that writes no scores: one whose scores are, by its promise, the same bits. May be empty.
  std::function<std::shared_ptr<SelectSubject>()> scores_of;
};

/// What the program can put on trial on this machine's device: nothing, and why, or every route.
struct DeviceSubjects {
  std::string reason;      ///< why there are no routes
  std::string device;      ///< "NVIDIA H200, CUDA driver API 13000, …"
  std::string capability;  ///< "9.0": chooses the error model of end-to-end judgements
  std::vector<DeviceRoute> routes;
  std::function<std::shared_ptr<IndexerSubject>()> indexer;  ///< may be empty
};

}  // namespace plumbline

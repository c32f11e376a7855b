#pragma once

#include "fixtures/cases/case_spec.h"
#include "oracle/run/check.h"
#include "oracle/run/device_subjects.h"
#include "oracle/run/repeated_subject.h"
#include "oracle/run/watched_route.h"

#include <string>

namespace plumbline {

/// The judgements of one route: by its own contract on the scores it selected on, by `within_error` on exact
/// scores, of one set of answers; whether they repeat; whether the route that ran is the one that was
/// planned.
class RouteTrial {
 public:
  RouteTrial(const DeviceSubjects& device, const DeviceRoute& route, int threads);

  /// On a generated case, and on every selection of a capture. Fill in status, reason, judgements and hits.
  void judge(const CaseSpec& spec, CheckResult& check);
  void judge(const std::string& path, CheckResult& check);

 private:
  void finish(CheckResult& check);

  const DeviceRoute& route_;
  std::string capability_;
  int threads_;
  WatchedRoute watched_;
  RepeatedSubject repeated_;
};

/// Whether a route ran as planned: takes the evidence over, and turns a PASS or VACUOUS with a miss into
/// ROUTE_MISSED.
void conclude_route(const RouteEvidence& evidence, CheckResult& check);
/// The same of one selection that a route's calls answered.
void miss_route(const RouteEvidence& evidence, JudgedSelection& selection);

}  // namespace plumbline

#pragma once

#include "oracle/run/device_subjects.h"
#include "oracle/run/witnessed_subject.h"

#include <memory>

namespace plumbline {

/// A subject of a route as it is asked, and its witness.
struct WatchedRoute {
  std::shared_ptr<SelectSubject> subject;
  std::shared_ptr<WitnessedSubject> witness;  ///< null where nothing watches the device
};

/// The route's own subject, with the scores of another where it writes none, a call per request where it
/// takes one. Scores that only serve the judgement are not watched.
WatchedRoute watched_route(const DeviceSubjects& device, const DeviceRoute& route);

/// A variant's, without the scores of another.
WatchedRoute watched_variant(const DeviceSubjects& device, const DeviceRoute& route,
                             const DeviceVariant& variant);

}  // namespace plumbline

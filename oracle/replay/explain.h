#pragma once

#include "fixtures/capture/model_capture.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// How one profile fits a capture. Every operation counts the same, however many elements it has.
struct ProfileFit {
  std::string profile;
  double mean_share = 0;  ///< bit-equal share, averaged over the operations
  std::int64_t operations_within = 0, operations = 0;
};

/// How the profiles fit one kind of operation, over all layers and calls.
struct OperationFit {
  std::string operation;
  std::int64_t elements = 0;
  std::vector<std::pair<std::string, double>> shares;  ///< bit-equal, per profile in their table's order
  std::vector<std::string> best;                       ///< the profiles with the largest share
  std::vector<std::string> within_bound;               ///< under which no element leaves its bound
};

/// Which engine's rounding produced a capture.
struct ExplainReport {
  std::string file;
  std::vector<ProfileFit> profiles;      ///< best first: by mean share, then by operations within bound
  std::vector<OperationFit> operations;  ///< in the model's order
};

/// Replays the capture teacher-forced under every profile.
ExplainReport explain_capture(const ModelCapture& capture);

}  // namespace plumbline

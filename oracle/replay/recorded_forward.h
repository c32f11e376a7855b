#pragma once

#include "fixtures/capture/model_capture.h"
#include "fixtures/error.h"
#include "reference/model/bounded.h"
#include "reference/model/mrope.h"
#include "reference/model/rows.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// The live tokens of one batch row in one forward call: those its attention mask does not pad.
struct LiveTokens {
  std::int64_t batch = 0;
  std::int64_t first = 0;    ///< the first live token of this call
  std::int64_t count = 0;    ///< live tokens of this call
  std::int64_t earlier = 0;  ///< live tokens of earlier calls
  std::int64_t padded = 0;   ///< padded tokens before the sequence, in all calls
};

/// A capture lacks a dataset that a step needs.
struct MissingDataset : InputError {
  using InputError::InputError;
};

/// One forward call of a capture, as rows of numbers. What was read stays in memory. Not thread-safe.
class RecordedForward {
 public:
  RecordedForward(const ModelCapture& capture, const ModelCapture::Forward& forward);

  const std::string& name() const { return forward_->name; }
  const std::vector<LiveTokens>& sequences() const { return sequences_; }
  bool has(const std::string& dataset) const { return capture_->has(*forward_, dataset); }
  /// A dataset [batch, tokens, …] or [batch·tokens, …]: the live rows of one sequence, flattened behind the
  /// token axis. `split` > 1: each token holds that many rows.
  Rows<double> live_rows(const std::string& dataset, const LiveTokens& live, std::int64_t split = 1) const;
  /// A whole dataset [batch, …] of one sequence as `rows` rows.
  Rows<double> whole(const std::string& dataset, std::int64_t batch, std::int64_t rows) const;
  DType dtype(const std::string& dataset) const { return tensor(dataset).dtype; }
  /// Throws MissingDataset when there is none.
  const Tensor& tensor(const std::string& dataset) const;

  std::vector<std::int64_t> tokens(const LiveTokens& live) const;
  /// Coordinates of this call's live tokens; without position_ids, the physical position on all axes.
  std::vector<Coordinates> coordinates(const LiveTokens& live) const;

 private:
  const ModelCapture* capture_;
  const ModelCapture::Forward* forward_;
  std::vector<LiveTokens> sequences_;
  mutable std::map<std::string, Tensor> tensors_;
};

/// Numbers known exactly.
Rows<Bounded> exact_rows(const Rows<double>& values);

}  // namespace plumbline

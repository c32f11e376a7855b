#pragma once

#include "fixtures/capture/model_capture.h"
#include "oracle/run/indexer_trial.h"
#include "reference/model/linear_layer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One layer's recorded index projections as requests, one a batch row, and the steps they came in: the live
/// tokens alone.
struct RecordedLayer {
  std::vector<TrialRequest> requests;
  std::vector<TrialStep> steps;  ///< one a forward call
};

/// From `dataset` ("taps/….index_qk_proj/out") of every call. Throws InputError where one has another type or
/// shape than the model gives.
RecordedLayer read_recorded_layer(const ModelCapture& capture, const std::string& dataset, DType storage,
                                  std::int64_t width);

/// A weight [outputs, inputs] of any storage type, as the reference takes it.
LinearWeight linear_weight(const Tensor& weight);

/// Appends one row of `from` [rows, width] to `rows`.
void append_row(Tensor& rows, const TensorView& from, std::int64_t index);

}  // namespace plumbline

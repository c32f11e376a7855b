#include "oracle/run/recorded_layer.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/judge/indexer_replay.h"
#include "oracle/judge/slice.h"

#include <fmt/format.h>

namespace plumbline {

void append_row(Tensor& rows, const TensorView& from, std::int64_t index) {
  const auto* data = from.at(index);
  rows.bytes.insert(rows.bytes.end(), data,
                    data + static_cast<std::size_t>(from.extent(1)) * size_of(from.dtype));
  ++rows.shape[0];
}

LinearWeight linear_weight(const Tensor& weight) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < weight.bytes.size() / size_of(weight.dtype); ++i)
    numbers.push_back(
        static_cast<float>(decode_element(weight.dtype, weight.bytes.data() + i * size_of(weight.dtype))));
  return LinearWeight(numbers, weight.extent(0), weight.extent(1));
}

RecordedLayer read_recorded_layer(const ModelCapture& capture, const std::string& dataset, DType storage,
                                  std::int64_t width) {
  RecordedLayer layer;
  for (const ModelCapture::Forward& forward : capture.forwards()) {
    const Tensor projected = capture.read(forward, dataset);
    if (projected.dtype != storage || projected.shape != Shape{forward.batch, forward.tokens, width}) {
      throw InputError(capture.info().path, fmt::format("/forward/{}/{}", forward.name, dataset),
                       fmt::format("{} [{}, {}, {}]", name_of(storage), forward.batch, forward.tokens, width),
                       fmt::format("{} {}", name_of(projected.dtype), to_string(projected.shape)));
    }
    const CallTokens tokens = read_call_tokens(capture, forward);
    layer.requests.resize(static_cast<std::size_t>(forward.batch), {Tensor(storage, {0, width}), {}});
    TrialStep step;
    for (std::int64_t b = 0; b < forward.batch; ++b) {
      TrialRequest& request = layer.requests[static_cast<std::size_t>(b)];
      TrialPart part{b, request.tokens(), 0, 0};
      for (std::int64_t t = 0; t < forward.tokens; ++t) {
        if (tokens.live[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)] == 0) continue;
        append_row(request.projected, slice(projected, b), t);
        request.coordinates.push_back(
            tokens.coordinates[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)]);
        ++part.count;
      }
      if (part.count > 0) step.push_back(part);
    }
    layer.steps.push_back(step);
  }
  return layer;
}

}  // namespace plumbline

#pragma once

#include "fixtures/capture/model_capture.h"
#include "reference/model/model_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// How many numbers a dataset of a forward call holds for each token, or for each sequence.
struct TapSize {
  enum class Per : std::uint8_t { token, sequence } per = Per::token;
  std::int64_t numbers = 0;
};

/// What the model gives for a tap ("taps/model.layers.0.mlp/out"), a state or the logits of a call that
/// leaves `cached` tokens in the cache; nothing for a name it does not know.
std::optional<TapSize> tap_size(const ModelConfig& config, const std::string& dataset, std::int64_t cached);

/// Throws InputError where a tap, state or logits of the call has another size than the model gives. Returns
/// those of names the model does not know.
std::vector<std::string> check_tap_sizes(const ModelCapture& capture, const ModelCapture::Forward& forward,
                                         const ModelConfig& config);

}  // namespace plumbline

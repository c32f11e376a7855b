#pragma once

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/tap_collector.h"
#include "reference/model/engine_arithmetic.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"
#include "reference/model/rope.h"

#include <string>

namespace plumbline {

/// What every step of a teacher-forced replay works with.
struct ReplayContext {
  const ModelConfig& config;
  const ModelWeights& weights;
  EngineArithmetic arithmetic;
  ExpertSum expert_sum = ExpertSum::ascending_stored;
  const RotaryFrequencies& frequencies;
};

/// One forward call and the one before it over the same cache (null for the first).
struct ReplayStep {
  const RecordedForward& forward;
  const RecordedForward* before;
};

// The parts of a layer in the model's order, so that the first tap beyond its bound is where an engine left
// the model; each compares what the capture has of it.

/// The layer's input is the layer before's output, or the embedding.
void replay_layer_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                        TapCollector& taps);
void replay_ple(const ReplayContext& context, const ReplayStep& step, std::int64_t layer, TapCollector& taps);
/// What the mixer (delta net or attention) reads out of the streams.
void replay_mixer_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                        TapCollector& taps);
void replay_delta_net(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps);
void replay_attention(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                      TapCollector& taps);
/// The streams after the mixer, and what the experts read out of them.
void replay_experts_input(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                          TapCollector& taps);
void replay_experts(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                    TapCollector& taps);
void replay_layer_output(const ReplayContext& context, const ReplayStep& step, std::int64_t layer,
                         TapCollector& taps);

/// A recorded convolution state [channels, times] as [times, channels].
Rows<Bounded> by_time(const Rows<Bounded>& by_channel);
/// [times, channels] as an engine's [channels, times].
Rows<Bounded> by_channel(const Rows<Bounded>& by_time);
/// "taps/model.layers.3" + suffix, "state/layers.3/" + suffix.
std::string layer_tap(std::int64_t layer, const std::string& suffix);
std::string layer_state(std::int64_t layer, const std::string& suffix);
/// The recorded rows of a tap, known exactly.
Rows<Bounded> recorded(const RecordedForward& forward, const std::string& dataset, const LiveTokens& live,
                       std::int64_t split = 1);

}  // namespace plumbline

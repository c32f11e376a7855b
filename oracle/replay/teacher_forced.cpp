#include "oracle/replay/teacher_forced.h"

#include "oracle/replay/layer_replay.h"
#include "oracle/replay/recorded_forward.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

namespace plumbline {

std::string layer_tap(std::int64_t layer, const std::string& suffix) {
  return "taps/model.layers." + std::to_string(layer) + suffix;
}

Rows<Bounded> recorded(const RecordedForward& forward, const std::string& dataset, const LiveTokens& live,
                       std::int64_t split) {
  return exact_rows(forward.live_rows(dataset, live, split));
}

Rows<Bounded> by_time(const Rows<Bounded>& by_channel) {
  Rows<Bounded> out(by_channel.width, by_channel.rows);
  for (std::int64_t channel = 0; channel < by_channel.rows; ++channel) {
    for (std::int64_t time = 0; time < by_channel.width; ++time) {
      out.row(time)[static_cast<std::size_t>(channel)] =
          by_channel.row(channel)[static_cast<std::size_t>(time)];
    }
  }
  return out;
}

WeightSource weights_of(const ModelCapture& capture) {
  return {capture.info().path, [&capture](const std::string& name) { return capture.weight(name); },
          [&capture](const std::string& name) { return capture.has_weight(name); }};
}

struct TeacherForcedReplay::Session {
  const ModelCapture& capture;
  ModelConfig config;
  ModelWeights weights;
  RotaryFrequencies frequencies;
  EngineArithmetic arithmetic;

  Session(const ModelCapture& source, const RoundingProfile& profile)
      : capture(source),
        config(parse_model_config(source.config_json(), source.info().path)),
        weights(load_model(config, weights_of(source))),
        frequencies(recorded_frequencies<Bounded>(weights.inverse_frequencies, config.indexer.sections)),
        arithmetic(profile, config.indexer.storage) {}
};

TeacherForcedReplay::TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile)
    : session_(std::make_unique<Session>(capture, profile)) {}

TeacherForcedReplay::~TeacherForcedReplay() = default;

std::vector<TapReport> TeacherForcedReplay::run() {
  const Session& s = *session_;
  const ExpertSum order =
      s.capture.info().experts_implementation == "eager" ? ExpertSum::ascending_stored : ExpertSum::at_once;
  const ReplayContext context{s.config, s.weights, s.arithmetic, order, s.frequencies};
  std::vector<TapReport> reports;
  TapCollector taps(reports);
  std::vector<RecordedForward> forwards;
  for (const ModelCapture::Forward& forward : s.capture.forwards()) forwards.emplace_back(s.capture, forward);
  for (std::size_t call = 0; call < forwards.size(); ++call) {
    const ReplayStep step{forwards[call], call == 0 ? nullptr : &forwards[call - 1]};
    for (std::int64_t layer = 0; layer < s.config.layers(); ++layer) {
      replay_ple(context, step, layer, taps);
      replay_residuals(context, step, layer, taps);
      replay_delta_net(context, step, layer, taps);
      replay_attention(context, step, layer, taps);
      replay_experts(context, step, layer, taps);
    }
    const std::string last = layer_tap(s.config.layers() - 1, "/out"),
                      mixer = "taps/model.hyper_connection_mixer/out";
    taps.compare(step.forward, mixer, "gated_residual.input", 1, [&](const LiveTokens& live) {
      return mix_streams(recorded(step.forward, last, live), s.weights.final_mixer, s.arithmetic).input;
    });
    taps.compare(step.forward, "logits", "logits", 1, [&](const LiveTokens& live) {
      return linear_layer(recorded(step.forward, mixer, live), s.weights.head, s.arithmetic);
    });
  }
  return reports;
}

}  // namespace plumbline

#include "oracle/replay/teacher_forced.h"

#include "oracle/replay/layer_replay.h"
#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/tap_sizes.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"

namespace plumbline {

std::string layer_tap(std::int64_t layer, const std::string& suffix) {
  return "taps/model.layers." + std::to_string(layer) + suffix;
}

std::string layer_state(std::int64_t layer, const std::string& suffix) {
  return "state/layers." + std::to_string(layer) + "/" + suffix;
}

Rows<Bounded> recorded(const RecordedForward& forward, const std::string& dataset, const LiveTokens& live,
                       std::int64_t split) {
  return exact_rows(forward.live_rows(dataset, live, split));
}

Rows<Bounded> by_time(const Rows<Bounded>& by_channel) {
  Rows<Bounded> out(by_channel.width, by_channel.rows);
  for (std::size_t i = 0; i < out.numbers.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    out.numbers[i] = by_channel.row(at % out.width)[static_cast<std::size_t>(at / out.width)];
  }
  return out;
}

Rows<Bounded> by_channel(const Rows<Bounded>& by_time_rows) { return by_time(by_time_rows); }

struct TeacherForcedReplay::Session {
  const ModelCapture& capture;
  ReplayModel model;
  RotaryFrequencies frequencies;
  EngineArithmetic arithmetic;
  std::vector<std::string> without_inputs, unknown;

  Session(const ModelCapture& source, const RoundingProfile& profile, ReplayModel loaded)
      : capture(source),
        model(std::move(loaded)),
        frequencies(
            recorded_frequencies<Bounded>(model.weights.inverse_frequencies, model.config.indexer.sections)),
        arithmetic(profile, model.config.indexer.storage) {}
};

TeacherForcedReplay::TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile)
    : TeacherForcedReplay(capture, profile, load_replay_model(capture)) {}

TeacherForcedReplay::TeacherForcedReplay(const ModelCapture& capture, const RoundingProfile& profile,
                                         ReplayModel model)
    : session_(std::make_unique<Session>(capture, profile, std::move(model))) {}

TeacherForcedReplay::~TeacherForcedReplay() = default;

std::vector<TapReport> TeacherForcedReplay::run(const ReplayOptions& options) {
  const ReplayModel& model = session_->model;
  const ReplayContext context{model.config, model.weights, session_->arithmetic,
                              expert_sum_of(session_->capture.info()), session_->frequencies};
  std::vector<TapReport> reports;
  TapCollector taps(options, reports);
  std::unique_ptr<RecordedForward> before;
  session_->unknown.clear();
  for (const ModelCapture::Forward& call : session_->capture.forwards()) {
    for (const std::string& name : check_tap_sizes(session_->capture, call, model.config))
      session_->unknown.push_back(call.name + " " + name);
  }
  for (const ModelCapture::Forward& call : session_->capture.forwards()) {
    auto forward = std::make_unique<RecordedForward>(session_->capture, call);
    const ReplayStep step{*forward, before.get()};
    for (std::int64_t layer = 0; layer < model.config.layers(); ++layer) {
      if (options.layer && *options.layer != layer) continue;
      replay_layer_input(context, step, layer, taps);
      replay_ple(context, step, layer, taps);
      replay_mixer_input(context, step, layer, taps);
      replay_delta_net(context, step, layer, taps);
      replay_attention(context, step, layer, taps);
      replay_experts_input(context, step, layer, taps);
      replay_experts(context, step, layer, taps);
      replay_layer_output(context, step, layer, taps);
    }
    const std::string last = layer_tap(model.config.layers() - 1, "/out"),
                      mixer = "taps/model.hyper_connection_mixer/out";
    taps.compare(*forward, mixer, "gated_residual.input", 1, [&](const LiveTokens& live) {
      return mix_streams(recorded(*forward, last, live), model.weights.final_mixer, context.arithmetic).input;
    });
    taps.compare(*forward, "logits", "logits", 1, [&](const LiveTokens& live) {
      return linear_layer(recorded(*forward, mixer, live), model.weights.head, context.arithmetic);
    });
    if (taps.stopped()) break;
    before = std::move(forward);
  }
  session_->without_inputs = taps.without_inputs();
  return reports;
}

const std::vector<std::string>& TeacherForcedReplay::without_inputs() const {
  return session_->without_inputs;
}

const std::vector<std::string>& TeacherForcedReplay::unknown() const { return session_->unknown; }

}  // namespace plumbline

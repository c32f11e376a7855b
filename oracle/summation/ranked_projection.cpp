#include "oracle/summation/ranked_projection.h"

#include "fixtures/error.h"
#include "oracle/replay/layer_replay.h"
#include "oracle/replay/replay_model.h"
#include "reference/model/linear_layer.h"
#include "reference/model/qsa_attention.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

LinearWeight identity(std::int64_t width) {
  std::vector<float> ones(at(width * width), 0.0f);
  for (std::int64_t i = 0; i < width; ++i) ones[at(i * width + i)] = 1;
  return {ones, width, width};
}

std::vector<float> flat(const LinearWeight& weight) {
  std::vector<float> all;
  for (std::int64_t o = 0; o < weight.outputs(); ++o) {
    for (std::int64_t k = 0; k < weight.inner(); ++k) all.push_back(weight.at(o, k));
  }
  return all;
}

/// The first call of a capture.
class CapturedLayers : public std::enable_shared_from_this<CapturedLayers> {
 public:
  explicit CapturedLayers(const ModelCapture& capture)
      : model_(load_replay_model(capture)),
        forward_(capture, capture.forwards().at(0)),
        live_(forward_.sequences().at(0)),
        arithmetic_(hf_cpu_profile(), model_.config.indexer.storage) {
    const auto& sparse = model_.config.layer_is_sparse;
    layer_ = std::ranges::find(sparse, true) - sparse.begin();
    if (layer_ == 0 || layer_ == model_.config.layers())
      throw InputError(capture.info().path + ": needs a sparse layer behind another one");
  }

  DType storage() const { return model_.config.indexer.storage; }

  RankedProjection out_projection() const {
    const AttentionGeometry& geometry = model_.config.attention;
    RankedProjection projection;
    projection.name = fmt::format("layer {} o_proj", layer_);
    projection.selects = fmt::format("experts of layer {}", layer_);
    projection.inner = geometry.heads * geometry.head_dim;
    projection.outputs = hidden();
    projection.granule = geometry.head_dim;
    const auto weight = std::make_shared<const std::vector<float>>(flat(weights(layer_).attention->out));
    QsaWeights without = *weights(layer_).attention;
    without.out = identity(projection.inner);
    const Rows<double> attended = attend(without, rows(".attn_hyper_connection/out", layer_), {});
    for (std::int64_t t = 0; t < attended.rows; ++t)
      projection.tokens.push_back({{floats(attended.row(t))}, {weight}, {1}});
    projection.select = [self = shared_from_this()](const Rows<double>& output) {
      return self->experts_after(output);
    };
    return projection;
  }

  RankedProjection down_projection() const {
    const std::int64_t layer = layer_ - 1;
    const MixtureOfExpertsWeights& experts = weights(layer).experts;
    const Rows<double> input = rows(".mlp/in", layer), chosen = rows(".mlp.gate/out.2", layer),
                       factors = rows(".mlp.gate/out.1", layer);
    RankedProjection projection;
    projection.name = fmt::format("layer {} moe_down", layer);
    projection.selects = fmt::format("blocks of layer {}", layer_);
    projection.inner = experts.experts.at(0).down.inner();
    projection.outputs = hidden();
    std::vector<std::shared_ptr<const std::vector<float>>> downs;
    for (const GatedMlpWeights& expert : experts.experts)
      downs.push_back(std::make_shared<const std::vector<float>>(flat(expert.down)));
    for (std::int64_t t = 0; t < input.rows; ++t) {
      TokenInput& token = projection.tokens.emplace_back();
      Rows<double> one(1, input.width);
      std::ranges::copy(input.row(t), one.numbers.begin());
      for (std::size_t slot = 0; slot < chosen.row(t).size(); ++slot) {
        const auto expert = static_cast<std::size_t>(chosen.row(t)[slot]);
        const GatedMlpWeights& mlp = experts.experts.at(expert);
        const GatedMlpWeights inside = {mlp.gate, mlp.up, identity(projection.inner)};
        token.x.push_back(floats(gated_mlp(one, inside, experts.activation, arithmetic_).numbers));
        token.weights.push_back(downs[expert]);
        token.factors.push_back(static_cast<float>(factors.row(t)[slot]));
      }
    }
    projection.select = [self = shared_from_this()](const Rows<double>& output) {
      return self->blocks_after(output);
    };
    return projection;
  }

 private:
  Selections experts_after(const Rows<double>& output) const {
    Rows<double> streams = rows("/in", layer_);
    inject_into_streams(output, rows(".attn_hyper_connection/out.2", layer_), arithmetic_, streams);
    const Rows<double> input = mix_streams(streams, weights(layer_).mlp_residual, arithmetic_).input;
    const MixtureOfExpertsWeights& experts = weights(layer_).experts;
    const auto routing = route(linear_layer(input, experts.router, arithmetic_), experts, arithmetic_);
    Selections chosen;
    for (std::int64_t t = 0; t < input.rows; ++t)
      chosen.emplace_back(routing.experts.begin() + t * routing.chosen,
                          routing.experts.begin() + (t + 1) * routing.chosen);
    return chosen;
  }

  Selections blocks_after(const Rows<double>& output) const {
    const std::int64_t layer = layer_ - 1;
    const Rows<double> mlp =
        add_shared_expert(rows(".mlp/in", layer), output, rows(".mlp.shared_expert/out", layer),
                          weights(layer).experts, arithmetic_);
    Rows<double> streams = rows(".mlp_hyper_connection/out.1", layer);
    inject_into_streams(mlp, rows(".mlp_hyper_connection/out.2", layer), arithmetic_, streams);
    const Rows<double> next = mix_streams(streams, weights(layer_).attention_residual, arithmetic_).input;
    Selections chosen;
    attend(*weights(layer_).attention, next,
           [&](std::int64_t, const std::vector<std::int32_t>& blocks, const QsaLayer::SameScore&) {
             chosen.emplace_back(blocks.begin(), blocks.end());
             return blocks;
           });
    return chosen;
  }

  const LayerWeights& weights(std::int64_t layer) const { return model_.weights.layers[at(layer)]; }
  std::int64_t hidden() const { return model_.config.indexer.hidden_size; }
  const Rows<double>& rows(const std::string& tap, std::int64_t layer) const {
    const std::string name = layer_tap(layer, tap);
    const auto read = taps_.find(name);
    return read != taps_.end() ? read->second
                               : taps_.emplace(name, forward_.live_rows(name, live_)).first->second;
  }
  static std::vector<float> floats(std::span<const double> numbers) {
    std::vector<float> all;
    for (const double number : numbers) all.push_back(static_cast<float>(number));
    return all;
  }
  Rows<double> attend(const QsaWeights& weights, const Rows<double>& input,
                      const QsaLayer::Choice& choice) const {
    const QsaLayer layer(model_.config, weights, model_.weights.inverse_frequencies, hf_cpu_profile());
    QsaState<double> state = layer.new_state<double>();
    return layer.forward(input, forward_.coordinates(live_), arithmetic_, state, choice);
  }

  ReplayModel model_;
  RecordedForward forward_;
  LiveTokens live_;
  BasicEngineArithmetic<double> arithmetic_;
  std::int64_t layer_ = 0;
  mutable std::map<std::string, Rows<double>> taps_;  ///< read so far
};

}  // namespace

std::vector<Projection> TokenInput::projections() const {
  std::vector<Projection> all;
  for (std::size_t e = 0; e < x.size(); ++e) all.push_back({x[e], *weights[e], factors[e]});
  return all;
}

Partition RankedProjection::on_ranks(std::int64_t ranks) const {
  Partition partition;
  for (const auto& own : contiguous_partition(inner / granule, ranks)) {
    auto& columns = partition.emplace_back();
    for (const std::int32_t first : own) {
      for (std::int64_t i = 0; i < granule; ++i)
        columns.push_back(static_cast<std::int32_t>(first * granule + i));
    }
  }
  return partition;
}

CapturedProjections captured_projections(const ModelCapture& capture) {
  const auto layers = std::make_shared<const CapturedLayers>(capture);
  return {layers->storage(), {layers->out_projection(), layers->down_projection()}};
}

}  // namespace plumbline

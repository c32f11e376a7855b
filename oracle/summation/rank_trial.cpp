#include "oracle/summation/rank_trial.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/replay/layer_replay.h"
#include "oracle/replay/replay_model.h"
#include "oracle/summation/split_case.h"
#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/model/qsa_attention.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

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

/// What each token multiplies: one projection, or one of every expert it chose.
struct TokenInput {
  std::vector<std::vector<float>> x;
  std::vector<const std::vector<float>*> weights;
  std::vector<float> factors;

  std::vector<Projection> projections() const {
    std::vector<Projection> all;
    for (std::size_t e = 0; e < x.size(); ++e) all.push_back({x[e], *weights[e], factors[e]});
    return all;
  }
};

using Selections = std::vector<std::vector<std::int64_t>>;

/// A projection to be put on ranks, and what its output [tokens, hidden] decides.
struct RankedProjection {
  std::string name, selects;
  std::int64_t inner = 0, outputs = 0;
  std::int64_t granule = 1;  ///< neighbours that stay on one rank: a head
  std::vector<TokenInput> tokens;
  std::function<Selections(const Rows<double>& output)> select;
};

/// Everything the trial reads of a capture's first call.
class CapturedLayers {
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
    weight_store_.push_back(flat(weights(layer_).attention->out));
    QsaWeights without = *weights(layer_).attention;
    without.out = identity(projection.inner);
    const Rows<double> attended = attend(without, rows(".attn_hyper_connection/out", layer_), {});
    for (std::int64_t t = 0; t < attended.rows; ++t)
      projection.tokens.push_back({{floats(attended.row(t))}, {&weight_store_.back()}, {1}});
    projection.select = [this](const Rows<double>& output) {
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
    const std::size_t first = weight_store_.size();
    for (const GatedMlpWeights& expert : experts.experts) weight_store_.push_back(flat(expert.down));
    for (std::int64_t t = 0; t < input.rows; ++t) {
      TokenInput& token = projection.tokens.emplace_back();
      Rows<double> one(1, input.width);
      std::ranges::copy(input.row(t), one.numbers.begin());
      for (std::size_t slot = 0; slot < chosen.row(t).size(); ++slot) {
        const auto expert = static_cast<std::size_t>(chosen.row(t)[slot]);
        const GatedMlpWeights& mlp = experts.experts.at(expert);
        const GatedMlpWeights inside = {mlp.gate, mlp.up, identity(projection.inner)};
        token.x.push_back(floats(gated_mlp(one, inside, experts.activation, arithmetic_).numbers));
        token.weights.push_back(&weight_store_[first + expert]);
        token.factors.push_back(static_cast<float>(factors.row(t)[slot]));
      }
    }
    projection.select = [this, layer](const Rows<double>& output) {
      const Rows<double> mlp =
          add_shared_expert(rows(".mlp/in", layer), output, rows(".mlp.shared_expert/out", layer),
                            weights(layer).experts, arithmetic_);
      Rows<double> streams = rows(".mlp_hyper_connection/out.1", layer);
      inject_into_streams(mlp, rows(".mlp_hyper_connection/out.2", layer), arithmetic_, streams);
      const Rows<double> next = mix_streams(streams, weights(layer_).attention_residual, arithmetic_).input;
      Selections chosen_blocks;
      attend(*weights(layer_).attention, next,
             [&](std::int64_t, const std::vector<std::int32_t>& blocks, const QsaLayer::SameScore&) {
               chosen_blocks.emplace_back(blocks.begin(), blocks.end());
               return blocks;
             });
      return chosen_blocks;
    };
    return projection;
  }

 private:
  const LayerWeights& weights(std::int64_t layer) const { return model_.weights.layers[at(layer)]; }
  std::int64_t hidden() const { return model_.config.indexer.hidden_size; }
  Rows<double> rows(const std::string& tap, std::int64_t layer) const {
    return forward_.live_rows(layer_tap(layer, tap), live_);
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
  mutable std::deque<std::vector<float>> weight_store_;  ///< addresses stay
};

Partition rank_partition(const RankedProjection& projection, std::int64_t ranks) {
  const Partition granules = contiguous_partition(projection.inner / projection.granule, ranks);
  Partition partition;
  for (const auto& own : granules) {
    auto& columns = partition.emplace_back();
    for (const std::int32_t granule : own) {
      for (std::int64_t i = 0; i < projection.granule; ++i)
        columns.push_back(static_cast<std::int32_t>(granule * projection.granule + i));
    }
  }
  return partition;
}

Rows<ExactOutput> exact_rows_of(const RankedProjection& projection) {
  Rows<ExactOutput> exact(std::ssize(projection.tokens), projection.outputs);
  for (std::int64_t t = 0; t < exact.rows; ++t)
    std::ranges::copy(exact_projection(projection.tokens[at(t)].projections(), projection.outputs),
                      exact.row(t).begin());
  return exact;
}

/// What each rank holds of each token before the exchange, [tokens][ranks][outputs].
struct Partials {
  std::vector<std::vector<std::vector<float>>> bits;
  std::vector<std::vector<std::vector<Bounded>>> bounded;
};

Partials partials_of(const RankedProjection& projection, std::int64_t ranks, DType stored_as) {
  const RankPlan plan = {rank_partition(projection, ranks), {SumOrder::Kind::lanes, 8}, stored_as};
  Partials partials;
  partials.bits.resize(projection.tokens.size());
  partials.bounded.resize(projection.tokens.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t t = 0; t < projection.tokens.size(); ++t) {
    const std::vector<Projection> experts = projection.tokens[t].projections();
    partials.bits[t] = rank_partials<float>(plan, experts, projection.outputs);
    partials.bounded[t] = rank_partials<Bounded>(plan, experts, projection.outputs);
  }
  return partials;
}

/// All tokens' outputs on every rank, as float32, and how far they may lie from the exact ones.
struct Reduced {
  std::vector<Rows<double>> on_rank;
  Rows<double> bound;
};

Reduced reduce(const Partials& partials, RankOrder order, const Rows<ExactOutput>& exact) {
  const auto ranks = std::ssize(partials.bits.at(0));
  Reduced reduced;
  reduced.bound = Rows<double>(exact.rows, exact.width);
  reduced.on_rank.assign(at(ranks), reduced.bound);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t t = 0; t < exact.rows; ++t) {
    const auto bound = reduced.bound.row(t);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      std::ranges::copy(all_reduced(order, rank, partials.bits[at(t)]),
                        reduced.on_rank[at(rank)].row(t).begin());
      if (rank > 0 && order != RankOrder::own_first) continue;  // one order for all ranks
      const auto sums = all_reduced(order, rank, partials.bounded[at(t)]);
      for (std::size_t i = 0; i < sums.size(); ++i)
        bound[i] = std::max(bound[i], sums[i].error + exact.row(t)[i].error);
    }
  }
  return reduced;
}

Rows<double> in_storage(Rows<double> rows, DType storage) {
  for (double& number : rows.numbers) number = round_to(storage, number);
  return rows;
}

RankOutcome outcome_of(const RankedProjection& projection, const Reduced& reduced,
                       const Rows<ExactOutput>& exact, const Reduced& unsplit, DType storage) {
  RankOutcome outcome;
  outcome.projection = projection.name;
  outcome.selects = projection.selects;
  outcome.tokens = exact.rows;
  outcome.elements = std::ssize(exact.numbers);
  for (std::size_t i = 0; i < exact.numbers.size(); ++i) {
    bool differs = false, beyond = false;
    for (const Rows<double>& rank : reduced.on_rank) {
      const double value = rank.numbers[i], bound = reduced.bound.numbers[i];
      differs = differs || value != reduced.on_rank[0].numbers[i];
      beyond =
          beyond || !(std::abs(value - unsplit.on_rank[0].numbers[i]) <= bound + unsplit.bound.numbers[i]);
      const double deviation = std::abs(value - exact.numbers[i].value);
      beyond = beyond || !(deviation <= bound);
      if (deviation > 0) outcome.share = std::max(outcome.share, deviation / bound);
    }
    outcome.ranks_differ += differs ? 1 : 0;
    outcome.beyond += beyond ? 1 : 0;
  }
  const Selections alone = projection.select(in_storage(unsplit.on_rank[0], storage)),
                   first = projection.select(in_storage(reduced.on_rank[0], storage));
  std::vector<bool> parted(first.size());
  for (const Rows<double>& rank : reduced.on_rank) {
    if (rank.numbers == reduced.on_rank[0].numbers) continue;
    const Selections own = projection.select(in_storage(rank, storage));
    for (std::size_t t = 0; t < own.size(); ++t) parted[t] = parted[t] || own[t] != first[t];
  }
  outcome.selections_differ = std::ranges::count(parted, true);
  for (std::size_t t = 0; t < first.size(); ++t) outcome.selections_parted += first[t] != alone[t] ? 1 : 0;
  return outcome;
}

}  // namespace

bool RankOutcome::sound() const {
  return beyond == 0 && (order == RankOrder::own_first || (ranks_differ == 0 && selections_differ == 0));
}

std::vector<RankOutcome> try_ranks(const ModelCapture& capture) {
  const CapturedLayers layers(capture);
  std::vector<RankOutcome> outcomes;
  for (const RankedProjection& projection : {layers.out_projection(), layers.down_projection()}) {
    const Rows<ExactOutput> exact = exact_rows_of(projection);
    const Reduced unsplit = reduce(partials_of(projection, 1, DType::float32), RankOrder::tree, exact);
    std::vector<DType> stored_as = {DType::float32};
    if (layers.storage() != DType::float32) stored_as.push_back(layers.storage());
    for (const DType partial : stored_as) {
      for (const std::int64_t ranks : {2, 3, 4, 8}) {
        const Partials partials = partials_of(projection, ranks, partial);
        for (const RankOrder order : {RankOrder::ring, RankOrder::tree, RankOrder::own_first}) {
          RankOutcome outcome =
              outcome_of(projection, reduce(partials, order, exact), exact, unsplit, layers.storage());
          outcome.ranks = ranks;
          outcome.order = order;
          outcome.partial = partial;
          outcomes.push_back(outcome);
        }
      }
    }
  }
  return outcomes;
}

}  // namespace plumbline

#include "oracle/summation/rank_trial.h"

#include "fixtures/small_float.h"
#include "oracle/summation/split_case.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

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
  const RankPlan plan = {projection.on_ranks(ranks), {SumOrder::Kind::lanes, 8}, stored_as};
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

/// What outputs select, each once.
class Decisions {
 public:
  Decisions(const RankedProjection& projection, DType storage) : projection_(projection), storage_(storage) {}

  const Selections& after(Rows<double> output) {
    for (double& number : output.numbers) number = round_to(storage_, number);
    const auto known = std::ranges::find(known_, output.numbers, [](const auto& one) { return one.first; });
    if (known != known_.end()) return known->second;
    known_.emplace_back(output.numbers, projection_.select(output));
    return known_.back().second;
  }

 private:
  const RankedProjection& projection_;
  DType storage_;
  std::deque<std::pair<std::vector<double>, Selections>> known_;  ///< addresses stay
};

RankOutcome outcome_of(const RankedProjection& projection, const Reduced& reduced,
                       const Rows<ExactOutput>& exact, const Reduced& unsplit, Decisions& decisions) {
  RankOutcome outcome;
  outcome.projection = projection.name;
  outcome.selects = projection.selects;
  outcome.tokens = exact.rows;
  outcome.elements = std::ssize(exact.numbers);
  for (std::size_t i = 0; i < exact.numbers.size(); ++i) {
    bool differs = false, beyond = false;
    const double bound = reduced.bound.numbers[i], alone = unsplit.on_rank[0].numbers[i];
    for (const Rows<double>& rank : reduced.on_rank) {
      const double value = rank.numbers[i], deviation = std::abs(value - exact.numbers[i].value);
      differs = differs || value != reduced.on_rank[0].numbers[i];
      beyond =
          beyond || !(deviation <= bound) || !(std::abs(value - alone) <= bound + unsplit.bound.numbers[i]);
      if (deviation > 0) outcome.share = std::max(outcome.share, deviation / bound);
    }
    outcome.ranks_differ += differs ? 1 : 0;
    outcome.beyond += beyond ? 1 : 0;
  }
  const Selections &alone = decisions.after(unsplit.on_rank[0]), &first = decisions.after(reduced.on_rank[0]);
  std::vector<bool> otherwise(first.size());
  for (const Rows<double>& rank : reduced.on_rank) {
    const Selections& own = decisions.after(rank);
    for (std::size_t t = 0; t < own.size(); ++t) otherwise[t] = otherwise[t] || own[t] != first[t];
  }
  outcome.selections_differ = std::ranges::count(otherwise, true);
  for (std::size_t t = 0; t < first.size(); ++t) outcome.selections_parted += first[t] != alone[t] ? 1 : 0;
  return outcome;
}

}  // namespace

bool RankOutcome::sound() const {
  return beyond == 0 && (order == RankOrder::own_first || (ranks_differ == 0 && selections_differ == 0));
}

std::vector<RankOutcome> try_ranks(const RankedProjection& projection, DType storage) {
  const Rows<ExactOutput> exact = exact_rows_of(projection);
  const Reduced unsplit = reduce(partials_of(projection, 1, DType::float32), RankOrder::tree, exact);
  Decisions decisions(projection, storage);
  std::vector<DType> stored_as = {DType::float32};
  if (storage != DType::float32) stored_as.push_back(storage);
  std::vector<RankOutcome> outcomes;
  for (const DType partial : stored_as) {
    for (const std::int64_t ranks : {1, 2, 3, 4, 8}) {
      const Partials partials = partials_of(projection, ranks, partial);
      for (const RankOrder order : {RankOrder::ring, RankOrder::tree, RankOrder::own_first}) {
        RankOutcome outcome =
            outcome_of(projection, reduce(partials, order, exact), exact, unsplit, decisions);
        outcome.ranks = ranks;
        outcome.order = order;
        outcome.partial = partial;
        outcomes.push_back(outcome);
      }
    }
  }
  return outcomes;
}

std::vector<RankOutcome> try_ranks(const ModelCapture& capture) {
  const CapturedProjections captured = captured_projections(capture);
  std::vector<RankOutcome> outcomes;
  for (const RankedProjection& projection : captured.projections) {
    for (RankOutcome& outcome : try_ranks(projection, captured.storage))
      outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace plumbline

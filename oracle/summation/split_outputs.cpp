#include "oracle/summation/split_case.h"
#include "reference/numeric/transcendental.h"
#include "reference/numeric/wide_sum.h"
#include "reference/summation/split_delta_state.h"
#include "reference/summation/split_score.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

using Fault = SplitFault::Kind;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

float factor_of(const SplitFault& fault) {
  return fault.kind == Fault::dropped ? 0.0f : fault.kind == Fault::doubled ? 2.0f : fault.factor;
}

template <typename Number>
void scale(std::span<Number> numbers, float factor) {
  for (Number& number : numbers) number = rounded_product(number, given<Number>(factor));
}

template <typename Number>
std::vector<Number> scores(const SplitCase& one, const SplitFault& fault) {
  const SplitSum sum(one.plan);
  return {split_score<Number>(sum, one.left, one.right, [&](std::span<Number> partials) {
    if (fault.kind != Fault::none) scale(partials.subspan(fault.split, 1), factor_of(fault));
  })};
}

template <typename Number>
std::vector<Number> attention(const SplitCase& one, const SplitFault& fault) {
  const SplitAttention<Number> attend(
      {one.plan, one.head_dim_order, one.attention_merge, one.attention_weights});
  const AttentionRow row = {one.left, one.right, one.values, one.terms, one.inner, one.outputs, 0.5f};
  auto partials = attend.partials(row);
  AttentionPartial<Number>& hit = partials[fault.split];
  switch (fault.kind) {
    case Fault::none:
      break;
    case Fault::dropped:
      hit = {true, std::vector<Number>(hit.out.size()), {}, {}, {}};
      break;
    case Fault::doubled:  // as if its tokens were there twice
      if (one.attention_merge == AttentionMerge::running_maximum) {
        scale<Number>(hit.out, 2);
        hit.sum = rounded_product(hit.sum, given<Number>(2));
      } else {
        hit.log_sum_exp = rounded_sum(hit.log_sum_exp, rounded_logarithm(given<Number>(2)));
      }
      break;
    case Fault::scaled:
      scale<Number>(hit.out, fault.factor);
      break;
  }
  return attend.merged(partials, one.outputs).out;
}

std::vector<Projection> projections_of(const SplitCase& one) {
  std::vector<Projection> experts;
  const std::size_t inner = at(one.terms), matrix = inner * at(one.outputs);
  for (std::size_t e = 0; e < at(one.inner); ++e)
    experts.push_back({std::span(one.left).subspan(e * inner, inner),
                       std::span(one.right).subspan(e * matrix, matrix), one.factors[e]});
  return experts;
}

template <typename Number>
std::vector<Number> projections(const SplitCase& one, const SplitFault& fault) {
  auto partials = rank_partials<Number>({one.plan.splits, one.plan.local, one.plan.partial},
                                        projections_of(one), one.outputs);
  if (fault.kind != Fault::none) scale<Number>(partials[fault.split], factor_of(fault));
  return all_reduced(one.rank_order, 0, partials);
}

DeltaWrites delta_writes(const SplitCase& one) {
  return {one.left, one.right, one.factors, one.terms, one.inner, one.outputs};
}

template <typename Number>
std::vector<Number> delta_state(const SplitCase& one, const SplitFault& fault) {
  const SplitDeltaState<Number> state(one.plan);
  auto partials = state.partials(delta_writes(one));
  if (fault.kind != Fault::none) scale<Number>(partials[fault.split].state, factor_of(fault));
  return state.merged(partials);
}

ExactOutput exactly(const ExactScore& score) {
  const double value = score.to_double();
  return {value, std::abs(value) * 0x1p-53, score.to_float()};
}

ExactOutput by_doubles(double value, double error) { return {value, error, static_cast<float>(value)}; }

std::vector<ExactOutput> exact_score(const SplitCase& one) {
  ExactScore total;
  for (std::size_t h = 0; h < at(one.inner); ++h) {
    WideSum dot;
    for (std::size_t d = 0; d < one.right.size(); ++d)
      dot.add_product(one.left[h * one.right.size() + d], one.right[d]);
    if (const ExactScore value = dot.value(); !value.negative()) total += value;
  }
  return {exactly(total)};
}

std::vector<ExactOutput> exact_attention(const SplitCase& one) {
  const std::size_t tokens = at(one.terms), dim = at(one.inner), width = at(one.outputs);
  std::vector<double> scores(tokens);
  double reach = 0;  // Σ|q·k| of the largest score
  for (std::size_t t = 0; t < tokens; ++t) {
    double magnitude = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      const double product = static_cast<double>(one.left[d]) * one.right[t * dim + d];
      scores[t] += product;
      magnitude += std::abs(product);
    }
    scores[t] *= 0.5;
    reach = std::max(reach, magnitude);
  }
  const double largest = *std::ranges::max_element(scores);
  std::vector<ExactOutput> outputs;
  for (std::size_t c = 0; c < width; ++c) {
    double sum = 0, weighted = 0, most = 0;
    for (std::size_t t = 0; t < tokens; ++t) {
      const double weight = exp_of(scores[t] - largest), value = one.values[t * width + c];
      sum += weight;
      weighted += weight * value;
      most = std::max(most, std::abs(value));
    }
    // Scores err by (dim + 2)·2^-53·reach, weights by twice that relatively, sums by tokens·2^-53 more.
    const double relative = static_cast<double>(4 * dim + 2 * tokens + 16) * 0x1p-52 * (1 + reach);
    outputs.push_back(by_doubles(weighted / sum, relative * most));
  }
  return outputs;
}

std::vector<ExactOutput> exact_delta_state(const SplitCase& one) {
  const std::size_t tokens = at(one.terms), keys = at(one.inner), width = at(one.outputs);
  std::vector<ExactOutput> outputs;
  for (std::size_t k = 0; k < keys; ++k) {
    for (std::size_t v = 0; v < width; ++v) {
      double sum = 0, magnitude = 0, decay = 0, reach = 1;
      for (std::size_t t = tokens; t-- > 0;) {
        const double term =
            static_cast<double>(one.left[t * keys + k]) * one.right[t * width + v] * exp_of(decay);
        sum += term;
        magnitude += std::abs(term);
        decay += one.factors[t];
        reach += std::abs(one.factors[t]);
      }
      outputs.push_back(by_doubles(sum, static_cast<double>(2 * tokens + 16) * 0x1p-52 * reach * magnitude));
    }
  }
  return outputs;
}

}  // namespace

template <typename Number>
std::vector<Number> split_outputs(const SplitCase& one, const SplitFault& fault) {
  switch (one.reduction) {
    case Reduction::score:
      return scores<Number>(one, fault);
    case Reduction::attention:
      return attention<Number>(one, fault);
    case Reduction::delta_state:
      return delta_state<Number>(one, fault);
    default:
      return projections<Number>(one, fault);
  }
}

template std::vector<float> split_outputs(const SplitCase&, const SplitFault&);
template std::vector<Bounded> split_outputs(const SplitCase&, const SplitFault&);
template std::vector<Likely> split_outputs(const SplitCase&, const SplitFault&);

std::vector<ExactOutput> exact_projection(std::span<const Projection> experts, std::int64_t outputs) {
  std::vector<ExactOutput> all;
  for (std::size_t o = 0; o < at(outputs); ++o) {
    WideSum sum;
    for (const Projection& expert : experts) {
      for (std::size_t i = 0; i < expert.x.size(); ++i) {
        // Two factors of 24 bits: the product fits a double, and so do both of its halves' times the third.
        const double product = static_cast<double>(expert.x[i]) * expert.weight[o * expert.x.size() + i];
        const auto high = static_cast<double>(static_cast<float>(product));
        sum.add_product(high, expert.factor);
        sum.add_product(product - high, expert.factor);
      }
    }
    all.push_back(exactly(sum.value()));
  }
  return all;
}

std::vector<ExactOutput> exact_outputs(const SplitCase& one) {
  switch (one.reduction) {
    case Reduction::score:
      return exact_score(one);
    case Reduction::attention:
      return exact_attention(one);
    case Reduction::delta_state:
      return exact_delta_state(one);
    default:
      return exact_projection(projections_of(one), one.outputs);
  }
}

}  // namespace plumbline

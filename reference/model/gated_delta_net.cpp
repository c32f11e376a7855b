#include "reference/model/gated_delta_net.h"

#include "reference/model/linear_layer.h"
#include "reference/model/number.h"
#include "reference/numeric/worth_threads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline {
namespace {

constexpr double kNormOffset = 1e-6;  // under the root of the l2 norm; not the config's epsilon

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// x / √(Σx² + 1e-6) in float32.
template <typename Number>
void l2_normalise(std::span<const Number> x, const BasicEngineArithmetic<Number>& arithmetic,
                  std::span<Number> out) {
  const Number offset = arithmetic.step(exactly<Number>(kNormOffset));
  const Number scale =
      arithmetic.reciprocal_root(arithmetic.step(arithmetic.step(arithmetic.sum_of_squares(x)) + offset));
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = arithmetic.step(x[i] * scale);
}

/// One value head's inputs to the delta rule from the convolved rows [q heads | k heads | v heads].
template <typename Number>
DeltaRuleInputs<Number> head_inputs(const Rows<Number>& convolved, const Rows<Number>& b,
                                    const Rows<Number>& a, std::int64_t head, const GatedDeltaNetWeights& w,
                                    const BasicEngineArithmetic<Number>& arithmetic) {
  const std::int64_t tokens = convolved.rows, key_head = head / (w.value_heads / w.key_heads);
  const std::int64_t keys = w.key_heads * w.key_dim;
  const Number root = arithmetic.step(exactly<Number>(std::sqrt(static_cast<double>(w.key_dim))));
  const Number scale = arithmetic.step(reciprocal(root));
  const Number rate = -arithmetic.step(arithmetic.exponential(exactly<Number>(w.decay_log[at(head)])));
  DeltaRuleInputs<Number> inputs{Rows<Number>(tokens, w.key_dim),
                                 Rows<Number>(tokens, w.key_dim),
                                 Rows<Number>(tokens, w.value_dim),
                                 {},
                                 {}};
  for (std::int64_t t = 0; t < tokens; ++t) {
    l2_normalise<Number>(convolved.part(t, key_head * w.key_dim, w.key_dim), arithmetic, inputs.query.row(t));
    for (Number& number : inputs.query.row(t)) number = arithmetic.step(number * scale);
    l2_normalise<Number>(convolved.part(t, keys + key_head * w.key_dim, w.key_dim), arithmetic,
                         inputs.key.row(t));
    const auto value = convolved.part(t, 2 * keys + head * w.value_dim, w.value_dim);
    std::copy(value.begin(), value.end(), inputs.value.row(t).begin());
    inputs.beta.push_back(
        arithmetic.stored_if(arithmetic.profile().store_beta, arithmetic.sigmoid(b.row(t)[at(head)])));
    const Number drive = arithmetic.step(a.row(t)[at(head)] + exactly<Number>(w.dt_bias[at(head)]));
    inputs.decay.push_back(arithmetic.step(rate * arithmetic.step(arithmetic.softplus(drive))));
  }
  return inputs;
}

}  // namespace

template <typename Number>
GatedDeltaNetState<Number>::GatedDeltaNetState(const GatedDeltaNetWeights& weights)
    : convolution(weights.convolution.history(), weights.channels()),
      heads(at(weights.value_heads), Rows<Number>(weights.key_dim, weights.value_dim)) {}

template <typename Number>
bool can_take_back(const GatedDeltaNetState<Number>& state, std::int64_t tokens) {
  if (state.grid.empty() || state.earlier.rows < tokens) return false;
  std::int64_t held = 0;
  for (const DeltaRuleChunk<Number>& chunk : state.grid.front()) held += chunk.tokens();
  return tokens <= held;
}

template <typename Number>
void take_back(GatedDeltaNetState<Number>& state, std::int64_t tokens,
               const BasicEngineArithmetic<Number>& arithmetic) {
  take_back(state.earlier, state.convolution, tokens);
#pragma omp parallel for schedule(static)
  for (std::size_t head = 0; head < state.grid.size(); ++head) {
    std::vector<DeltaRuleChunk<Number>>& chunks = state.grid[head];
    std::int64_t left = tokens;
    while (!chunks.empty() && left >= chunks.back().tokens()) {
      left -= chunks.back().tokens();
      state.heads[head] = chunks.back().before;
      chunks.pop_back();
    }
    if (chunks.empty()) continue;
    truncate(chunks.back(), chunks.back().tokens() - left);
    state.heads[head] = state_after(chunks.back(), arithmetic);
  }
}

namespace {

/// Continues the last chunk, or starts the next one from the state where there is none or it is full.
template <typename Number>
Rows<Number> delta_rule_on_grid(const DeltaRuleInputs<Number>& inputs,
                                const BasicEngineArithmetic<Number>& arithmetic,
                                std::vector<DeltaRuleChunk<Number>>& chunks, Rows<Number>& state) {
  Rows<Number> out(inputs.key.rows, inputs.value.width);
  for (std::int64_t first = 0; first < inputs.key.rows;) {
    if (chunks.empty() || chunks.back().tokens() == kDeltaRuleChunk) {
      if (chunks.size() == 2) chunks.erase(chunks.begin());
      chunks.emplace_back(chunks.empty() ? state : state_after(chunks.back(), arithmetic), inputs.key.width,
                          inputs.value.width);
    }
    const std::int64_t count = std::min(kDeltaRuleChunk - chunks.back().tokens(), inputs.key.rows - first);
    append(chunks.back(), inputs, first, count, arithmetic, out);
    first += count;
  }
  if (!chunks.empty()) state = state_after(chunks.back(), arithmetic);
  return out;
}

}  // namespace

template <typename Number>
Rows<Number> reshaped(Rows<Number> x, std::int64_t rows) {
  x.width = rows == 0 ? x.width : x.rows * x.width / rows;
  x.rows = rows;
  return x;
}

template <typename Number>
Rows<Number> delta_rule_of_projection(const Rows<Number>& projected, const Rows<Number>& b,
                                      const Rows<Number>& a, const GatedDeltaNetWeights& weights,
                                      DeltaRuleForm form, const BasicEngineArithmetic<Number>& arithmetic,
                                      GatedDeltaNetState<Number>& state) {
  remember(state.earlier, state.convolution, projected);
  Rows<Number> convolved = causal_convolution(
      projected, weights.convolution, arithmetic.profile().store_convolution, arithmetic, state.convolution);
#pragma omp parallel for schedule(static) if (worth_threads_elements(convolved.rows * convolved.width))
  for (std::int64_t t = 0; t < convolved.rows; ++t) {
    for (Number& number : convolved.row(t))
      number = arithmetic.stored(activated(weights.activation, number, arithmetic));
  }
  Rows<Number> out(projected.rows * weights.value_heads, weights.value_dim);
  const bool on_grid = form == DeltaRuleForm::chunked_on_grid;
  state.grid.resize(on_grid ? at(weights.value_heads) : 0);
  const std::int64_t products = out.rows * weights.key_dim * weights.value_dim;
#pragma omp parallel for schedule(static) if (worth_threads_products(products))
  for (std::int64_t head = 0; head < weights.value_heads; ++head) {
    const auto inputs = head_inputs(convolved, b, a, head, weights, arithmetic);
    Rows<Number>& memory = state.heads[at(head)];
    const Rows<Number> read = on_grid ? delta_rule_on_grid(inputs, arithmetic, state.grid[at(head)], memory)
                              : form == DeltaRuleForm::recurrent
                                  ? delta_rule_recurrent(inputs, arithmetic, memory)
                                  : delta_rule_chunked(inputs, kDeltaRuleChunk, arithmetic, memory);
    for (std::int64_t t = 0; t < read.rows; ++t) {
      for (std::size_t v = 0; v < read.row(t).size(); ++v) {
        out.row(t * weights.value_heads + head)[v] = arithmetic.stored(read.row(t)[v]);
      }
    }
  }
  return out;
}

template <typename Number>
Rows<Number> gated_norm(const Rows<Number>& recurrence, const Rows<Number>& z,
                        const GatedDeltaNetWeights& weights,
                        const BasicEngineArithmetic<Number>& arithmetic) {
  const bool stored = arithmetic.profile().store_gated_norm_steps;
  const Number offset = arithmetic.step(exactly<Number>(weights.epsilon));
  Rows<Number> out(recurrence.rows, recurrence.width);
#pragma omp parallel for schedule(static) if (worth_threads_elements(recurrence.rows * recurrence.width))
  for (std::int64_t row = 0; row < recurrence.rows; ++row) {
    const auto x = recurrence.row(row);
    const auto gate =
        z.part(row / weights.value_heads, row % weights.value_heads * weights.value_dim, weights.value_dim);
    const Number scale = arithmetic.reciprocal_root(arithmetic.step(arithmetic.mean_square(x) + offset));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Number normed = arithmetic.stored_if(stored, x[i] * scale);
      const Number gained = arithmetic.stored_if(stored, normed * exactly<Number>(weights.norm[i]));
      const Number open = activated(weights.output_gate, gate[i], arithmetic);
      out.row(row)[i] = arithmetic.stored(gained * arithmetic.step(open));
    }
  }
  return out;
}

template <typename Number>
Rows<Number> gated_delta_net(const Rows<Number>& x, const GatedDeltaNetWeights& weights, DeltaRuleForm form,
                             const BasicEngineArithmetic<Number>& arithmetic,
                             GatedDeltaNetState<Number>& state, GatedDeltaNetTrace<Number>* trace) {
  Rows<Number> projected = linear_layer(x, weights.qkv, arithmetic);
  const Rows<Number> b = linear_layer(x, weights.b, arithmetic), a = linear_layer(x, weights.a, arithmetic);
  Rows<Number> recurrence = delta_rule_of_projection(projected, b, a, weights, form, arithmetic, state);
  Rows<Number> normed = gated_norm(recurrence, linear_layer(x, weights.z, arithmetic), weights, arithmetic);
  if (trace != nullptr) *trace = {std::move(projected), std::move(recurrence), normed};
  return linear_layer(reshaped(std::move(normed), x.rows), weights.out, arithmetic);
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                       \
  template struct GatedDeltaNetState<Number>;                                                               \
  template bool can_take_back(const GatedDeltaNetState<Number>&, std::int64_t);                             \
  template void take_back(GatedDeltaNetState<Number>&, std::int64_t, const BasicEngineArithmetic<Number>&); \
  template Rows<Number> reshaped(Rows<Number>, std::int64_t);                                               \
  template Rows<Number> delta_rule_of_projection(                                                           \
      const Rows<Number>&, const Rows<Number>&, const Rows<Number>&, const GatedDeltaNetWeights&,           \
      DeltaRuleForm, const BasicEngineArithmetic<Number>&, GatedDeltaNetState<Number>&);                    \
  template Rows<Number> gated_norm(const Rows<Number>&, const Rows<Number>&, const GatedDeltaNetWeights&,   \
                                   const BasicEngineArithmetic<Number>&);                                   \
  template Rows<Number> gated_delta_net(const Rows<Number>&, const GatedDeltaNetWeights&, DeltaRuleForm,    \
                                        const BasicEngineArithmetic<Number>&, GatedDeltaNetState<Number>&,  \
                                        GatedDeltaNetTrace<Number>*);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

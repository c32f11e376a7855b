#include "reference/model/delta_rule.h"

#include "reference/model/delta_rule_chunk.h"
#include "reference/model/number.h"
#include "reference/model/stepped_product.h"

#include <algorithm>
#include <utility>

namespace plumbline {
namespace {

template <typename Number>
using Arithmetic = BasicEngineArithmetic<Number>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

template <typename Number>
Rows<Number> one_row(const Rows<Number>& rows, std::int64_t index) {
  Rows<Number> row(1, rows.width);
  std::copy(rows.row(index).begin(), rows.row(index).end(), row.numbers.begin());
  return row;
}

}  // namespace

template <typename Number>
Rows<Number> delta_rule_recurrent(const DeltaRuleInputs<Number>& inputs, const Arithmetic<Number>& arithmetic,
                                  Rows<Number>& state) {
  const std::int64_t tokens = inputs.key.rows, key_dim = inputs.key.width;
  Rows<Number> out(tokens, inputs.value.width);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const Number decay = arithmetic.step(arithmetic.exponential(inputs.decay[at(t)]));
    for (Number& number : state.numbers) number = arithmetic.step(number * decay);
    const Rows<Number> held = stepped_product(one_row(inputs.key, t), state, Terms::all(), arithmetic);
    std::vector<Number> write(held.numbers.size());
    for (std::size_t v = 0; v < write.size(); ++v) {
      write[v] =
          arithmetic.step(arithmetic.step(inputs.value.row(t)[v] - held.numbers[v]) * inputs.beta[at(t)]);
    }
    for (std::int64_t k = 0; k < key_dim; ++k) {
      const Number key = inputs.key.row(t)[at(k)];
      const std::span<Number> row = state.row(k);
      for (std::size_t v = 0; v < row.size(); ++v)
        row[v] = arithmetic.step(row[v] + arithmetic.step(key * write[v]));
    }
    const Rows<Number> read = stepped_product(one_row(inputs.query, t), state, Terms::all(), arithmetic);
    std::copy(read.numbers.begin(), read.numbers.end(), out.row(t).begin());
  }
  return out;
}

template <typename Number>
Rows<Number> delta_rule_chunked(const DeltaRuleInputs<Number>& inputs, std::int64_t chunk,
                                const Arithmetic<Number>& arithmetic, Rows<Number>& state) {
  Rows<Number> out(inputs.key.rows, inputs.value.width);
  for (std::int64_t first = 0; first < inputs.key.rows; first += chunk) {
    DeltaRuleChunk<Number> open(std::move(state), inputs.key.width, inputs.value.width);
    append(open, inputs, first, std::min(chunk, inputs.key.rows - first), arithmetic, out);
    state = state_after(open, arithmetic);
  }
  return out;
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                   \
  template Rows<Number> delta_rule_recurrent(const DeltaRuleInputs<Number>&, const Arithmetic<Number>&, \
                                             Rows<Number>&);                                            \
  template Rows<Number> delta_rule_chunked(const DeltaRuleInputs<Number>&, std::int64_t,                \
                                           const Arithmetic<Number>&, Rows<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

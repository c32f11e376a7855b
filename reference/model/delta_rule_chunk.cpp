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
void add_rows(Rows<Number>& rows, const Rows<Number>& fresh) {
  rows.numbers.insert(rows.numbers.end(), fresh.numbers.begin(), fresh.numbers.end());
  rows.rows += fresh.rows;
}

template <typename Number>
Rows<Number> rows_of(const Rows<Number>& source, std::int64_t first, std::int64_t count) {
  Rows<Number> rows(count, source.width);
  std::copy_n(source.numbers.begin() + first * source.width, count * source.width, rows.numbers.begin());
  return rows;
}

/// Every row r of `source` times factor[r].
template <typename Number>
Rows<Number> scaled(Rows<Number> source, std::span<const Number> factor,
                    const Arithmetic<Number>& arithmetic) {
  for (std::int64_t r = 0; r < source.rows; ++r) {
    for (Number& number : source.row(r)) number = arithmetic.step(number * factor[at(r)]);
  }
  return source;
}

/// e^(decay_i − decay_j) for the tokens i from `start` on and j ≤ i.
template <typename Number>
Rows<Number> decay_between(std::span<const Number> decay, std::int64_t start,
                           const Arithmetic<Number>& arithmetic) {
  const auto tokens = static_cast<std::int64_t>(decay.size());
  Rows<Number> between(tokens - start, tokens);
  for (std::int64_t i = start; i < tokens; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      between.row(i - start)[at(j)] =
          arithmetic.step(arithmetic.exponential(arithmetic.step(decay[at(i)] - decay[at(j)])));
    }
  }
  return between;
}

/// Row i of (I + A)⁻¹ by forward substitution, from −A's row i and the rows before.
template <typename Number>
void solve_row(std::int64_t i, std::span<const Number> coefficient, const Arithmetic<Number>& arithmetic,
               Rows<Number>& inverse) {
  std::vector<Number> sum(at(i));
  std::vector<double> magnitude(at(i), 0.0);
  for (std::int64_t m = 1; m < i; ++m) {
    const Number* row = inverse.row(m).data();
    for (std::int64_t j = 0; j < m; ++j) {
      const Number product = coefficient[at(m)] * row[j];
      sum[at(j)] = sum[at(j)] + product;
      magnitude[at(j)] += largest_magnitude(product);
    }
  }
  const std::span<Number> solved = inverse.row(i);
  for (std::int64_t j = 0; j < i; ++j) {
    const Number rest = arithmetic.step(arithmetic.reduced(sum[at(j)], magnitude[at(j)], i - j));
    solved[at(j)] = arithmetic.step(coefficient[at(j)] + rest);
  }
  solved[at(i)] = exactly<Number>(1);
}

}  // namespace

template <typename Number>
DeltaRuleChunk<Number>::DeltaRuleChunk(Rows<Number> state, std::int64_t key_dim, std::int64_t value_dim)
    : before(std::move(state)),
      keys(0, key_dim),
      values(0, value_dim),
      decayed_keys(0, key_dim),
      inverse(0, kDeltaRuleChunk),
      writes(0, value_dim) {}

template <typename Number>
void append(DeltaRuleChunk<Number>& chunk, const DeltaRuleInputs<Number>& inputs, std::int64_t first,
            std::int64_t count, const Arithmetic<Number>& arithmetic, Rows<Number>& out) {
  const std::int64_t start = chunk.tokens();
  const Terms own = Terms::up_to_own_row(start);
  const auto beta = std::span(inputs.beta).subspan(at(first), at(count));
  std::vector<Number> growth(at(count));  // e^decay
  for (std::int64_t i = 0; i < count; ++i) {
    const Number before = chunk.decay.empty() ? Number{} : chunk.decay.back();
    chunk.decay.push_back(arithmetic.step(before + inputs.decay[at(first + i)]));
    growth[at(i)] = arithmetic.step(arithmetic.exponential(chunk.decay.back()));
  }
  const Rows<Number> between = decay_between<Number>(chunk.decay, start, arithmetic);
  const Rows<Number> query = rows_of(inputs.query, first, count), key = rows_of(inputs.key, first, count);
  const Rows<Number> weighted = scaled<Number>(key, beta, arithmetic);
  add_rows(chunk.keys, key);
  add_rows(chunk.values, scaled<Number>(rows_of(inputs.value, first, count), beta, arithmetic));
  add_rows(chunk.decayed_keys, scaled<Number>(weighted, growth, arithmetic));

  const Rows<Number> overlap = stepped_dots(weighted, chunk.keys, own, arithmetic);
  add_rows(chunk.inverse, Rows<Number>(count, kDeltaRuleChunk));
  std::vector<Number> coefficient;
  for (std::int64_t i = 0; i < count; ++i) {
    coefficient.assign(at(start + i), Number{});
    for (std::size_t j = 0; j < coefficient.size(); ++j)
      coefficient[j] = -arithmetic.step(overlap.row(i)[j] * between.row(i)[j]);
    solve_row<Number>(start + i, coefficient, arithmetic, chunk.inverse);
  }

  // What the tokens write, less what the state already holds for their keys.
  const Rows<Number> solution = rows_of(chunk.inverse, start, count);
  Rows<Number> writes = stepped_product(solution, chunk.values, own, arithmetic);
  const Rows<Number> effective = stepped_product(solution, chunk.decayed_keys, own, arithmetic);
  const Rows<Number> present = stepped_product(effective, chunk.before, Terms::all(), arithmetic);
  for (std::size_t i = 0; i < writes.numbers.size(); ++i)
    writes.numbers[i] = arithmetic.step(writes.numbers[i] - present.numbers[i]);
  add_rows(chunk.writes, writes);

  const Rows<Number> held =
      stepped_product(scaled<Number>(query, growth, arithmetic), chunk.before, Terms::all(), arithmetic);
  Rows<Number> weights = stepped_dots(query, chunk.keys, own, arithmetic);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j <= start + i; ++j)
      weights.row(i)[at(j)] = arithmetic.step(weights.row(i)[at(j)] * between.row(i)[at(j)]);
  }
  const Rows<Number> fresh = stepped_product(weights, chunk.writes, own, arithmetic);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t v = 0; v < out.row(first + i).size(); ++v)
      out.row(first + i)[v] = arithmetic.step(held.row(i)[v] + fresh.row(i)[v]);
  }
}

/// S ← e^(decay_last)·S + Σ_i k_i·e^(decay_last − decay_i) ⊗ write_i.
template <typename Number>
Rows<Number> state_after(const DeltaRuleChunk<Number>& chunk, const Arithmetic<Number>& arithmetic) {
  Rows<Number> state = chunk.before;
  if (chunk.tokens() == 0) return state;
  const Number decay = arithmetic.step(arithmetic.exponential(chunk.decay.back()));
  const Rows<Number> to_last = decay_between<Number>(chunk.decay, chunk.tokens() - 1, arithmetic);
  Rows<Number> columns(chunk.keys.width, chunk.tokens());
  for (std::int64_t i = 0; i < chunk.tokens(); ++i) {
    for (std::int64_t k = 0; k < columns.rows; ++k)
      columns.row(k)[at(i)] = arithmetic.step(chunk.keys.row(i)[at(k)] * to_last.numbers[at(i)]);
  }
  const Rows<Number> added = stepped_product(columns, chunk.writes, Terms::all(), arithmetic);
  for (std::size_t i = 0; i < state.numbers.size(); ++i)
    state.numbers[i] = arithmetic.step(arithmetic.step(state.numbers[i] * decay) + added.numbers[i]);
  return state;
}

template <typename Number>
void truncate(DeltaRuleChunk<Number>& chunk, std::int64_t tokens) {
  chunk.decay.resize(at(tokens));
  for (Rows<Number>* rows :
       {&chunk.keys, &chunk.values, &chunk.decayed_keys, &chunk.inverse, &chunk.writes}) {
    rows->numbers.resize(at(tokens * rows->width));
    rows->rows = tokens;
  }
}

#define PLUMBLINE_INSTANTIATE(Number)                                                                       \
  template struct DeltaRuleChunk<Number>;                                                                   \
  template void append(DeltaRuleChunk<Number>&, const DeltaRuleInputs<Number>&, std::int64_t, std::int64_t, \
                       const Arithmetic<Number>&, Rows<Number>&);                                           \
  template Rows<Number> state_after(const DeltaRuleChunk<Number>&, const Arithmetic<Number>&);              \
  template void truncate(DeltaRuleChunk<Number>&, std::int64_t);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

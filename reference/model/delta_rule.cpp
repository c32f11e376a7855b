#include "reference/model/delta_rule.h"

#include "reference/model/number.h"

#include <algorithm>

namespace plumbline {
namespace {

template <typename Number>
using Arithmetic = BasicEngineArithmetic<Number>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// out[c] += Σ_i a[i]·m[i, c], i ascending, kept as separate sums so that it can be written over the columns.
template <typename Number>
std::vector<Number> row_times_matrix(std::span<const Number> a, const Rows<Number>& m, std::int64_t rows,
                                     const Arithmetic<Number>& arithmetic) {
  std::vector<Number> sum(at(m.width), Number{});
  std::vector<double> magnitude(at(m.width), 0.0);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::span<const Number> row = m.row(i);
    for (std::size_t c = 0; c < sum.size(); ++c) {
      const Number product = a[at(i)] * row[c];
      sum[c] = sum[c] + product;
      magnitude[c] += largest_magnitude(product);
    }
  }
  for (std::size_t c = 0; c < sum.size(); ++c)
    sum[c] = arithmetic.step(arithmetic.reduced(sum[c], magnitude[c], rows));
  return sum;
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
    const std::vector<Number> held = row_times_matrix(inputs.key.row(t), state, key_dim, arithmetic);
    std::vector<Number> write(held.size());
    for (std::size_t v = 0; v < write.size(); ++v) {
      write[v] = arithmetic.step(arithmetic.step(inputs.value.row(t)[v] - held[v]) * inputs.beta[at(t)]);
    }
    for (std::int64_t k = 0; k < key_dim; ++k) {
      const Number key = inputs.key.row(t)[at(k)];
      const std::span<Number> row = state.row(k);
      for (std::size_t v = 0; v < row.size(); ++v)
        row[v] = arithmetic.step(row[v] + arithmetic.step(key * write[v]));
    }
    const std::vector<Number> read = row_times_matrix(inputs.query.row(t), state, key_dim, arithmetic);
    std::copy(read.begin(), read.end(), out.row(t).begin());
  }
  return out;
}

namespace {

/// One chunk: rows [first, first + count) of the inputs.
template <typename Number>
class Chunk {
 public:
  Chunk(const DeltaRuleInputs<Number>& inputs, std::int64_t first, std::int64_t count,
        const Arithmetic<Number>& arithmetic)
      : inputs_(inputs), first_(first), count_(count), arithmetic_(arithmetic) {
    Number sum{};
    for (std::int64_t i = 0; i < count; ++i) {
      sum = arithmetic.step(sum + inputs.decay[at(first + i)]);
      decay_.push_back(sum);
    }
  }

  void run(Rows<Number>& state, Rows<Number>& out) const {
    const Rows<Number> solution = solve_writes(), values = scaled(inputs_.value, false),
                       keys = scaled(inputs_.key, true);
    const std::int64_t key_dim = inputs_.key.width;
    // What the chunk writes, less what the state already holds for its keys.
    Rows<Number> writes(count_, inputs_.value.width);
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::vector<Number> wanted =
          row_times_matrix<Number>(solution.row(i), values, i + 1, arithmetic_);
      const std::vector<Number> effective =
          row_times_matrix<Number>(solution.row(i), keys, i + 1, arithmetic_);
      const std::vector<Number> held = row_times_matrix<Number>(effective, state, key_dim, arithmetic_);
      for (std::size_t v = 0; v < wanted.size(); ++v)
        writes.row(i)[v] = arithmetic_.step(wanted[v] - held[v]);
    }
    for (std::int64_t i = 0; i < count_; ++i) read_row(i, state, writes, out.row(first_ + i));
    move_state(writes, state);
  }

 private:
  Number decay_between(std::int64_t later, std::int64_t earlier) const {
    return arithmetic_.step(
        arithmetic_.exponential(arithmetic_.step(decay_[at(later)] - decay_[at(earlier)])));
  }
  std::span<const Number> key(std::int64_t i) const { return inputs_.key.row(first_ + i); }

  /// β·x of every row, times e^g where decayed.
  Rows<Number> scaled(const Rows<Number>& source, bool decayed) const {
    Rows<Number> out(count_, source.width);
    for (std::int64_t i = 0; i < count_; ++i) {
      const Number decay = arithmetic_.step(arithmetic_.exponential(decay_[at(i)]));
      for (std::size_t c = 0; c < out.row(i).size(); ++c) {
        const Number number = arithmetic_.step(source.row(first_ + i)[c] * inputs_.beta[at(first_ + i)]);
        out.row(i)[c] = decayed ? arithmetic_.step(number * decay) : number;
      }
    }
    return out;
  }

  /// (I + A)⁻¹ for A[i, j] = β_i·(k_i·k_j)·e^(g_i − g_j), j < i, by forward substitution.
  Rows<Number> solve_writes() const {
    Rows<Number> inverse(count_, count_);
    for (std::int64_t i = 0; i < count_; ++i) {
      std::vector<Number> coefficient(at(i));
      std::vector<Number> weighted(key(i).size());
      for (std::size_t c = 0; c < weighted.size(); ++c) {
        weighted[c] = arithmetic_.step(key(i)[c] * inputs_.beta[at(first_ + i)]);
      }
      for (std::int64_t j = 0; j < i; ++j) {
        const Number product = arithmetic_.step(arithmetic_.dot(std::span<const Number>(weighted), key(j)));
        coefficient[at(j)] = -arithmetic_.step(product * decay_between(i, j));
      }
      for (std::int64_t j = 0; j < i; ++j) {
        Number sum{};
        double magnitude = 0;
        for (std::int64_t m = j + 1; m < i; ++m) {
          const Number product = coefficient[at(m)] * inverse.row(m)[at(j)];
          sum = sum + product;
          magnitude += largest_magnitude(product);
        }
        const Number rest = arithmetic_.step(arithmetic_.reduced(sum, magnitude, i - j));
        inverse.row(i)[at(j)] = arithmetic_.step(coefficient[at(j)] + rest);
      }
      inverse.row(i)[at(i)] = exactly<Number>(1);
    }
    return inverse;
  }

  void read_row(std::int64_t i, const Rows<Number>& state, const Rows<Number>& writes,
                std::span<Number> out) const {
    const std::span<const Number> query = inputs_.query.row(first_ + i);
    const Number decay = arithmetic_.step(arithmetic_.exponential(decay_[at(i)]));
    std::vector<Number> decayed(query.size()), weights(at(i + 1));
    for (std::size_t c = 0; c < query.size(); ++c) decayed[c] = arithmetic_.step(query[c] * decay);
    const std::vector<Number> held =
        row_times_matrix<Number>(decayed, state, static_cast<std::int64_t>(query.size()), arithmetic_);
    for (std::int64_t j = 0; j <= i; ++j) {
      weights[at(j)] =
          arithmetic_.step(arithmetic_.step(arithmetic_.dot(query, key(j))) * decay_between(i, j));
    }
    const std::vector<Number> fresh = row_times_matrix<Number>(weights, writes, i + 1, arithmetic_);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = arithmetic_.step(held[v] + fresh[v]);
  }

  /// S ← e^(g_last)·S + Σ_i k_i·e^(g_last − g_i) ⊗ write_i.
  void move_state(const Rows<Number>& writes, Rows<Number>& state) const {
    const Number decay = arithmetic_.step(arithmetic_.exponential(decay_.back()));
    std::vector<Number> column(at(count_));
    for (std::int64_t k = 0; k < state.rows; ++k) {
      for (std::int64_t i = 0; i < count_; ++i) {
        column[at(i)] = arithmetic_.step(key(i)[at(k)] * decay_between(count_ - 1, i));
      }
      const std::vector<Number> added = row_times_matrix<Number>(column, writes, count_, arithmetic_);
      const std::span<Number> row = state.row(k);
      for (std::size_t v = 0; v < row.size(); ++v) {
        row[v] = arithmetic_.step(arithmetic_.step(row[v] * decay) + added[v]);
      }
    }
  }

  const DeltaRuleInputs<Number>& inputs_;
  std::int64_t first_, count_;
  const Arithmetic<Number>& arithmetic_;
  std::vector<Number> decay_;  // running sum of g inside the chunk
};

}  // namespace

template <typename Number>
Rows<Number> delta_rule_chunked(const DeltaRuleInputs<Number>& inputs, std::int64_t chunk,
                                const Arithmetic<Number>& arithmetic, Rows<Number>& state) {
  Rows<Number> out(inputs.key.rows, inputs.value.width);
  for (std::int64_t first = 0; first < inputs.key.rows; first += chunk) {
    Chunk<Number>(inputs, first, std::min(chunk, inputs.key.rows - first), arithmetic).run(state, out);
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

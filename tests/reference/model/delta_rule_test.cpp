#include "reference/model/delta_rule_chunk.h"
#include "reference/model/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

using Inputs = DeltaRuleInputs<double>;

double uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(*rc::gen::inRange(0, 1 << 24)) * 0x1p-24;
}

Inputs arbitrary_inputs(std::int64_t tokens, std::int64_t keys, std::int64_t values) {
  Inputs inputs{Rows<double>(tokens, keys), Rows<double>(tokens, keys), Rows<double>(tokens, values), {}, {}};
  for (Rows<double>* rows : {&inputs.query, &inputs.key}) {
    for (std::int64_t t = 0; t < tokens; ++t) {
      double norm = 0;
      for (double& number : rows->row(t)) {
        number = uniform(-1, 1);
        norm += number * number;
      }
      for (double& number : rows->row(t)) number = static_cast<float>(number / std::sqrt(norm + 1e-6));
    }
  }
  for (double& number : inputs.value.numbers) number = static_cast<float>(uniform(-3, 3));
  for (std::int64_t t = 0; t < tokens; ++t) {
    inputs.beta.push_back(static_cast<float>(uniform(0, 1)));
    inputs.decay.push_back(static_cast<float>(-uniform(0, 2)));
  }
  return inputs;
}

/// The definition, token by token, in extended precision.
std::vector<double> definition(const Inputs& inputs, std::vector<long double>& state) {
  const auto keys = static_cast<std::size_t>(inputs.key.width),
             values = static_cast<std::size_t>(inputs.value.width);
  std::vector<double> out;
  for (std::int64_t t = 0; t < inputs.key.rows; ++t) {
    const auto k = inputs.key.row(t), q = inputs.query.row(t), v = inputs.value.row(t);
    for (long double& number : state)
      number *= std::exp(static_cast<long double>(inputs.decay[static_cast<std::size_t>(t)]));
    for (std::size_t c = 0; c < values; ++c) {
      long double held = 0, read = 0;
      for (std::size_t r = 0; r < keys; ++r) held += state[r * values + c] * k[r];
      const long double write = inputs.beta[static_cast<std::size_t>(t)] * (v[c] - held);
      for (std::size_t r = 0; r < keys; ++r) read += (state[r * values + c] += k[r] * write) * q[r];
      out.push_back(static_cast<double>(read));
    }
  }
  return out;
}

const BasicEngineArithmetic<double> kExact(exact_profile(), DType::float32);
const BasicEngineArithmetic<double> kFloat(hf_cuda_profile(), DType::bfloat16);

RC_GTEST_PROP(DeltaRule, BothFormsAreTheDefinitionFromAnyState, ()) {
  const auto tokens = *rc::gen::inRange<std::int64_t>(0, 40), keys = *rc::gen::inRange<std::int64_t>(1, 9),
             values = *rc::gen::inRange<std::int64_t>(1, 9), chunk = *rc::gen::inRange<std::int64_t>(1, 20);
  const Inputs inputs = arbitrary_inputs(tokens, keys, values);
  Rows<double> recurrent(keys, values);
  for (double& number : recurrent.numbers) number = uniform(-2, 2);
  Rows<double> chunked = recurrent;
  std::vector<long double> state(recurrent.numbers.begin(), recurrent.numbers.end());
  const std::vector<double> expected = definition(inputs, state);
  const Rows<double> a = delta_rule_recurrent(inputs, kExact, recurrent),
                     b = delta_rule_chunked(inputs, chunk, kExact, chunked);
  // |q|, |k| ≤ 1 and β < 1 let no error grow: sums of at most 40 terms of size 10 in double.
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(std::abs(a.numbers[i] - expected[i]) < 1e-11);
    RC_ASSERT(std::abs(b.numbers[i] - expected[i]) < 1e-11);
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    RC_ASSERT(std::abs(recurrent.numbers[i] - static_cast<double>(state[i])) < 1e-11);
    RC_ASSERT(std::abs(chunked.numbers[i] - static_cast<double>(state[i])) < 1e-11);
  }
}

Inputs one_hot(std::int64_t key, std::int64_t value, double beta, double decay) {
  Inputs inputs{Rows<double>(1, 128), Rows<double>(1, 128), Rows<double>(1, 128), {beta}, {decay}};
  inputs.query.row(0)[static_cast<std::size_t>(key)] = 1;
  inputs.key.row(0)[static_cast<std::size_t>(key)] = 1;
  inputs.value.row(0)[static_cast<std::size_t>(value)] = 1;
  return inputs;
}

// CASES.md E6: a transposed state has its number at (100, 3).
TEST(DeltaRule, AOneHotWriteLiesAtItsKeyAndValue) {
  for (const bool chunked : {false, true}) {
    Rows<double> state(128, 128);
    const Inputs inputs = one_hot(3, 100, 0.5, -1);
    const Rows<double> out =
        chunked ? delta_rule_chunked(inputs, 64, kFloat, state) : delta_rule_recurrent(inputs, kFloat, state);
    for (std::int64_t k = 0; k < 128; ++k) {
      for (std::int64_t v = 0; v < 128; ++v)
        EXPECT_EQ(state.row(k)[static_cast<std::size_t>(v)], k == 3 && v == 100 ? 0.5 : 0.0);
    }
    EXPECT_EQ(out.row(0)[100], 0.5);
    EXPECT_EQ(std::count(out.numbers.begin(), out.numbers.end(), 0.0), 127);
  }
}

// β = 1 and a repeated key: the state forgets what it held there and holds the new value alone.
TEST(DeltaRule, AFullWriteReplacesWhatItsKeyHeld) {
  Rows<double> state(128, 128);
  delta_rule_recurrent(one_hot(7, 1, 1, 0), kFloat, state);
  delta_rule_recurrent(one_hot(7, 2, 1, 0), kFloat, state);
  EXPECT_EQ(state.row(7)[1], 0);
  EXPECT_EQ(state.row(7)[2], 1);
}

RC_GTEST_PROP(DeltaRule, AChunkGrownInPiecesHasTheSameBits, ()) {
  const auto tokens = *rc::gen::inRange<std::int64_t>(1, kDeltaRuleChunk + 1);
  const Inputs inputs = arbitrary_inputs(tokens, 8, 20);
  const auto& arithmetic = *rc::gen::element(&kExact, &kFloat);
  Rows<double> state(8, 20), out(tokens, 20), pieces(tokens, 20);
  for (double& number : state.numbers) number = static_cast<float>(uniform(-2, 2));
  DeltaRuleChunk<double> whole(state, 8, 20), grown(state, 8, 20);
  append(whole, inputs, 0, tokens, *arithmetic, out);
  for (std::int64_t done = 0; done < tokens;) {
    const auto count = *rc::gen::inRange<std::int64_t>(1, tokens - done + 1);
    // Tokens that are taken back leave nothing behind.
    const auto drafted = *rc::gen::inRange<std::int64_t>(0, tokens - done - count + 1);
    append(grown, inputs, done, count + drafted, *arithmetic, pieces);
    truncate(grown, done + count);
    done += count;
  }
  RC_ASSERT(pieces.numbers == out.numbers);
  RC_ASSERT(state_after(grown, *arithmetic).numbers == state_after(whole, *arithmetic).numbers);
  RC_ASSERT(grown.inverse.numbers == whole.inverse.numbers);
}

// A row depends on the rows up to it alone, whatever later ones hold.
TEST(DeltaRule, APoisonedTokenReachesNoEarlierOne) {
  constexpr std::int64_t tokens = 40;
  Inputs inputs{Rows<double>(tokens, 8), Rows<double>(tokens, 8), Rows<double>(tokens, 16), {}, {}};
  for (std::size_t i = 0; i < inputs.key.numbers.size(); ++i) {
    inputs.key.numbers[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 0.4);
    inputs.query.numbers[i] = static_cast<float>(std::cos(static_cast<double>(i)) * 0.4);
  }
  for (std::size_t i = 0; i < inputs.value.numbers.size(); ++i)
    inputs.value.numbers[i] = static_cast<float>(std::sin(3.0 * static_cast<double>(i)));
  inputs.beta.assign(tokens, 0.5);
  inputs.decay.assign(tokens, -0.25);
  Rows<double> state(8, 16);
  const Rows<double> clean = delta_rule_chunked(inputs, 64, kFloat, state);
  for (std::int64_t poisoned = 0; poisoned < tokens; ++poisoned) {
    Inputs other = inputs;
    for (Rows<double>* rows : {&other.query, &other.key, &other.value}) {
      for (double& number : rows->row(poisoned)) number = std::numeric_limits<double>::quiet_NaN();
    }
    Rows<double> fresh(8, 16);
    const Rows<double> out = delta_rule_chunked(other, 64, kFloat, fresh);
    for (std::int64_t t = 0; t < tokens; ++t) {
      const bool same = std::ranges::equal(out.row(t), clean.row(t));
      ASSERT_EQ(same, t < poisoned) << t << " with " << poisoned;
    }
  }
}

// The plain double and the bounded number are the same values, along different code.
RC_GTEST_PROP(DeltaRule, BoundsDoNotChangeTheValues, ()) {
  const auto tokens = *rc::gen::inRange<std::int64_t>(0, 30);
  const Inputs inputs = arbitrary_inputs(tokens, 5, 18);
  const RoundingProfile& profile = **rc::gen::element(&exact_profile(), &hf_cpu_profile());
  const auto bounded = [](const Rows<double>& rows) {
    Rows<Bounded> out(rows.rows, rows.width);
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) out.numbers[i].value = rows.numbers[i];
    return out;
  };
  DeltaRuleInputs<Bounded> same{bounded(inputs.query), bounded(inputs.key), bounded(inputs.value), {}, {}};
  for (const double beta : inputs.beta) same.beta.push_back({beta, 0});
  for (const double decay : inputs.decay) same.decay.push_back({decay, 0});
  for (const bool chunked : {false, true}) {
    Rows<double> state(5, 18);
    Rows<Bounded> bounded_state(5, 18);
    const BasicEngineArithmetic<double> plain(profile, DType::float32);
    const BasicEngineArithmetic<Bounded> carried(profile, DType::float32);
    const Rows<double> out =
        chunked ? delta_rule_chunked(inputs, 16, plain, state) : delta_rule_recurrent(inputs, plain, state);
    const Rows<Bounded> bounds = chunked ? delta_rule_chunked(same, 16, carried, bounded_state)
                                         : delta_rule_recurrent(same, carried, bounded_state);
    for (std::size_t i = 0; i < out.numbers.size(); ++i) RC_ASSERT(bounds.numbers[i].value == out.numbers[i]);
    for (std::size_t i = 0; i < state.numbers.size(); ++i)
      RC_ASSERT(bounded_state.numbers[i].value == state.numbers[i]);
  }
}

// CASES.md E3: the state is what the definition says, however large the values.
TEST(DeltaRule, LargeValuesOverManyStepsStayFinite) {
  Rows<double> state(8, 4);
  constexpr std::int64_t tokens = 4096;
  Inputs inputs{Rows<double>(tokens, 8), Rows<double>(tokens, 8), Rows<double>(tokens, 4), {}, {}};
  for (std::int64_t t = 0; t < tokens; ++t) {
    inputs.key.row(t)[static_cast<std::size_t>(t % 8)] = 1;
    inputs.query.row(t)[static_cast<std::size_t>(t % 8)] = 1;
    for (double& number : inputs.value.row(t)) number = 30000;
    inputs.beta.push_back(0.5);
    inputs.decay.push_back(0);
  }
  const Rows<double> out = delta_rule_chunked(inputs, 64, kFloat, state);
  // Each key converges to the value: 30000·(1 − 2^-n) after n writes, exact in float32 up to n = 11.
  EXPECT_EQ(out.row(7)[0], 15000);
  EXPECT_EQ(out.row(15)[0], 22500);
  EXPECT_NEAR(out.row(tokens - 1)[0], 30000, 0.1);
}

}  // namespace
}  // namespace plumbline

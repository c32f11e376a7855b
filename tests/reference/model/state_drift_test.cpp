#include "reference/model/delta_rule.h"
#include "reference/model/number.h"
#include "tests/reference/model/exact_delta_net.h"
#include "tests/reference/model/stepping_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// CASES.md E4: a long text that is hardly forgotten.
constexpr std::int64_t kSteps = 65536, kPiece = 4096, kKeys = 5, kValues = 3;
const BasicEngineArithmetic<double> kFloat(hf_cuda_profile(), DType::bfloat16);

double between(std::mt19937_64& random, double low, double high) {
  return static_cast<float>(low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53);
}

DeltaRuleInputs<double> piece(std::mt19937_64& random, std::int64_t tokens, bool writes) {
  DeltaRuleInputs<double> inputs{
      Rows<double>(tokens, kKeys), Rows<double>(tokens, kKeys), Rows<double>(tokens, kValues), {}, {}};
  for (std::int64_t t = 0; t < tokens; ++t) {
    const UnitVector& unit = kUnitVectors[random() % kUnitVectors.size()];
    for (std::size_t i = 0; i < kKeys; ++i)
      inputs.key.row(t)[i] = inputs.query.row(t)[i] = unit.numbers[i] / unit.length;
    for (double& number : inputs.value.row(t)) number = between(random, -1, 3);
    inputs.beta.push_back(writes ? between(random, 0.001, 0.004) : 0.0);
    inputs.decay.push_back(static_cast<float>(-1e-4));
  }
  return inputs;
}

DeltaRuleInputs<double> one_token(const DeltaRuleInputs<double>& inputs, std::int64_t t) {
  const auto row = [t](const Rows<double>& rows) {
    Rows<double> one(1, rows.width);
    std::ranges::copy(rows.row(t), one.numbers.begin());
    return one;
  };
  const auto i = static_cast<std::size_t>(t);
  return {row(inputs.query), row(inputs.key), row(inputs.value), {inputs.beta[i]}, {inputs.decay[i]}};
}

void follow(SteppingOracle& oracle, const DeltaRuleInputs<double>& inputs) {
  for (std::int64_t t = 0; t < inputs.key.rows; ++t) {
    const auto i = static_cast<std::size_t>(t);
    oracle.step(inputs.key.row(t), inputs.value.row(t), inputs.beta[i], inputs.decay[i], 0, 1);
  }
}

/// Three states that are stepped alike, one of them kept in bfloat16.
struct States {
  Rows<double> stepped{kKeys, kValues}, chunked{kKeys, kValues}, rounded_each_step{kKeys, kValues};
  SteppingOracle oracle{kKeys, kValues};

  void fill(std::mt19937_64& random) {
    for (std::size_t i = 0; i < stepped.numbers.size(); ++i) {
      // A bfloat16 number, so that all start from the same.
      const double number = rounded(DType::bfloat16, between(random, 1, 2));
      oracle.state[i] = stepped.numbers[i] = chunked.numbers[i] = rounded_each_step.numbers[i] = number;
    }
  }
  void step(const DeltaRuleInputs<double>& inputs) {
    delta_rule_recurrent(inputs, kFloat, stepped);
    delta_rule_chunked(inputs, kDeltaRuleChunk, kFloat, chunked);
    for (std::int64_t t = 0; t < inputs.key.rows; ++t) {
      delta_rule_recurrent(one_token(inputs, t), kFloat, rounded_each_step);
      for (double& number : rounded_each_step.numbers) number = rounded(DType::bfloat16, number);
    }
    follow(oracle, inputs);
  }
};

void record(const States& states) {
  const auto text = [](double number) { return std::to_string(number * 0x1p24) + " u"; };
  testing::Test::RecordProperty("state", std::to_string(states.oracle.norm(0)));
  testing::Test::RecordProperty("error", text(states.oracle.errors(states.stepped.numbers)[0]));
  testing::Test::RecordProperty("chunked", text(states.oracle.errors(states.chunked.numbers)[0]));
  testing::Test::RecordProperty("bfloat16", text(states.oracle.errors(states.rounded_each_step.numbers)[0]));
  testing::Test::RecordProperty("bound", text(states.oracle.bound[0]));
}

void expect_within_bounds(bool writes) {
  std::mt19937_64 random(4);
  States states;
  states.fill(random);
  for (std::int64_t done = 0; done < kSteps; done += kPiece) {
    states.step(piece(random, kPiece, writes));
    const auto stepped = states.oracle.errors(states.stepped.numbers),
               chunked = states.oracle.errors(states.chunked.numbers),
               coarse = states.oracle.errors(states.rounded_each_step.numbers);
    for (std::size_t c = 0; c < stepped.size(); ++c) {
      ASSERT_LE(stepped[c], states.oracle.bound[c]) << done;
      // A chunk rounds the state less often than its tokens would one by one.
      ASSERT_LE(chunked[c], states.oracle.bound[c]) << done;
      ASSERT_GT(coarse[c], states.oracle.bound[c]) << done << ": a bfloat16 state would go unnoticed";
    }
  }
  record(states);
}

TEST(StateDrift, AWrittenStateStaysWithinTheBoundThatABfloat16StateLeaves) { expect_within_bounds(true); }

// Without writes each element is one number times e^g 65,536 times over; in bfloat16 it never moves.
TEST(StateDrift, AFadingStateStaysWithinTheBoundThatABfloat16StateLeaves) { expect_within_bounds(false); }

}  // namespace
}  // namespace plumbline

#include "reference/model/index_key_cache.h"
#include "tests/reference/model/tiny_sequence.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// CASES.md C4: drafts that are not numbers, and are rejected. A state that any of them reached, by however
// small a share, would be NaN.

const BasicEngineArithmetic<double> kFloat(hf_cuda_profile(), DType::bfloat16);

Rows<double> text(std::int64_t first, std::int64_t count) {
  Rows<double> x(count, 32);
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t i = 0; i < 32; ++i)
      x.row(t)[static_cast<std::size_t>(i)] = static_cast<double>(((first + t) * 17 + i * 7) % 13 - 6) / 8;
  }
  return x;
}
Rows<double> poison(std::int64_t count, std::int64_t width) {
  Rows<double> x(count, width);
  x.numbers.assign(x.numbers.size(), std::numeric_limits<double>::quiet_NaN());
  return x;
}

struct Layers {
  ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  NamedTensors parameters = random_parameters(config);
  ModelWeights weights = load_model(config, source_of(parameters));
};
const Layers& layers() {
  static const Layers all;
  return all;
}

constexpr std::int64_t kPlaces[] = {0, 1, 2, 3, 5, 60, 62, 63, 64, 65, 127};

TEST(PoisonedDrafts, LeaveADeltaNetAsItWas) {
  const GatedDeltaNetWeights& weights = *layers().weights.layers[0].delta_net;
  for (const std::int64_t start : kPlaces) {
    for (std::int64_t drafts = 1; drafts <= 5; ++drafts) {
      GatedDeltaNetState<double> state(weights);
      const auto run = [&weights](const Rows<double>& x, GatedDeltaNetState<double>& moved) {
        return gated_delta_net(x, weights, DeltaRuleForm::chunked_on_grid, kFloat, moved).numbers;
      };
      run(text(0, start + 1), state);
      GatedDeltaNetState<double> clean = state;
      run(poison(drafts, 32), state);
      ASSERT_TRUE(can_take_back(state, drafts));
      take_back(state, drafts, kFloat);
      ASSERT_TRUE(same_bits(state.convolution.numbers, clean.convolution.numbers)) << start << " " << drafts;
      for (std::size_t head = 0; head < state.heads.size(); ++head)
        ASSERT_TRUE(same_bits(state.heads[head].numbers, clean.heads[head].numbers))
            << start << " " << drafts;
      ASSERT_TRUE(same_bits(run(text(start + 1, 9), state), run(text(start + 1, 9), clean))) << start;
    }
  }
}

TEST(PoisonedDrafts, LeaveAPleHistoryAsItWas) {
  const PleWeights& weights = *layers().weights.layers[1].ple;
  const auto run = [&weights](const Rows<double>& x, PleState<double>& moved) {
    Rows<double> streams(x.rows, 128);
    for (std::size_t i = 0; i < streams.numbers.size(); ++i) streams.numbers[i] = i % 3 == 0 ? 1 : -0.5;
    return ple_layer(streams, x, weights, kFloat, moved.convolution, &moved.earlier).numbers;
  };
  for (const std::int64_t start : kPlaces) {
    PleState<double> state(weights);
    run(text(0, start + 1), state);
    PleState<double> clean = state;
    run(poison(5, 32), state);
    take_back(state.earlier, state.convolution, 5);
    ASSERT_TRUE(same_bits(state.convolution.numbers, clean.convolution.numbers)) << start;
    ASSERT_TRUE(same_bits(run(text(start + 1, 12), state), run(text(start + 1, 12), clean))) << start;
  }
}

/// Raw keys [tokens, 16], all of one value.
Tensor keys_of(std::int64_t tokens, double value) {
  Tensor keys(DType::bfloat16, {tokens, 16});
  for (std::size_t i = 0; i < static_cast<std::size_t>(tokens * 16); ++i)
    encode_element(DType::bfloat16, value * (1 + static_cast<double>(i % 7)), keys.bytes.data() + 2 * i);
  return keys;
}

TEST(PoisonedDrafts, LeaveTheBlocksTheyStoodInAsTheyWere) {
  const IndexerConfig& config = layers().config.indexer;
  const QsaIndexer indexer(config,
                           {std::vector<double>(16, 0.25), std::vector<double>(16, 0.25),
                            default_frequencies(1e4, config.rotary_dim, config.sections,
                                                EngineArithmetic(exact_profile(), config.storage))},
                           hf_cuda_profile());
  const auto places = [](std::int64_t first, std::int64_t count) {
    return Sequence::tokens(first, count).places;
  };
  for (std::int64_t start = 0; start < 12; ++start) {
    for (std::int64_t drafts = 1; drafts <= 8; ++drafts) {
      IndexKeyCache cache(indexer);
      cache.append(keys_of(start, 0.5).view(), places(0, start));
      IndexKeyCache clean = cache;
      cache.append(keys_of(drafts, std::numeric_limits<double>::quiet_NaN()).view(), places(start, drafts));
      cache.truncate(start);
      for (IndexKeyCache* each : {&cache, &clean}) each->append(keys_of(9, 0.75).view(), places(start, 9));
      ASSERT_EQ(cache.keys().tensor.bytes, clean.keys().tensor.bytes) << start << " " << drafts;
      ASSERT_EQ(cache.state().raw.bytes, clean.state().raw.bytes) << start << " " << drafts;
    }
  }
}

}  // namespace
}  // namespace plumbline

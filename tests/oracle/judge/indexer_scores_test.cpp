#include "oracle/judge/indexer_scores.h"

#include "fixtures/capture/model_capture.h"
#include "fixtures/small_float.h"
#include "oracle/judge/indexer_replay.h"
#include "reference/model/index_projection.h"

#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// The prefill of tiny_fp32, judged with one part of the indexer got wrong: the bound must not hide it.
class FaultyPrefill {
 public:
  IndexerConfig config;
  IndexerWeights weights;
  std::int64_t query_shift = 0;  ///< added to the queries' coordinates
  std::int64_t key_shift = 0;    ///< added to the keys' coordinates: ratio − 1 is the last member

  FaultyPrefill()
      : capture_(PLUMBLINE_SOURCE_DIR "/fixtures/golden/tiny_fp32.h5"), forward_(capture_.forwards().at(0)) {
    config = parse_indexer_config(capture_.config_json(), capture_.info().path);
    weights = read_indexer_weights(capture_, config, 3, hf_cpu_profile());
  }

  ScoreComparison judge() const {
    const QsaIndexer indexer(config, weights, hf_cpu_profile());
    const std::int64_t heads = config.geometry.index_heads, dim = config.geometry.index_head_dim;
    Tensor projected = capture_.read(forward_, "taps/model.layers.3.self_attn.indexer.index_qk_proj/out");
    projected.shape.erase(projected.shape.begin());

    std::vector<Coordinates> at_query, at_key;
    for (std::int64_t t = 0; t < forward_.tokens; ++t) {
      at_query.push_back(Coordinates::text(t + query_shift));
      at_key.push_back(Coordinates::text(t + key_shift));
    }
    IndexKeyCache cache(indexer);
    cache.append(raw_key_part(projected.view(), heads, dim), at_key);
    const BoundedTensor all = indexer.queries(query_part(projected.view(), heads, dim), at_query);

    // Calls begin with the first complete block, at token 3.
    const std::int64_t calls = forward_.tokens - 3, row = heads * dim;
    BoundedTensor queries(all.tensor.dtype, {calls, heads, dim});
    std::vector<std::int32_t> visible;
    for (std::int64_t call = 0; call < calls; ++call) {
      visible.push_back(static_cast<std::int32_t>((call + 4) / 4));
      for (std::int64_t e = 0; e < row; ++e) queries.set(call * row + e, all.at((call + 3) * row + e));
    }
    const Tensor scores = capture_.read(forward_, "selection/scores");
    return compare_scores(queries, cache.keys(), visible, scores.as<float>(), scores.extent(1),
                          hf_cpu_profile());
  }

 private:
  ModelCapture capture_;
  ModelCapture::Forward forward_;
};

/// Most scores must leave the bound, not just one.
void expect_found(const char* fault, const ScoreComparison& comparison) {
  EXPECT_GT(comparison.beyond, comparison.compared / 2) << fault;
  std::printf("%s: %ld of %ld scores beyond, the worst at %.3g bounds\n", fault, comparison.beyond,
              comparison.compared, comparison.largest_share);
}

TEST(IndexerScores, TheSoundIndexerStaysWithinTheBound) {
  const ScoreComparison comparison = FaultyPrefill().judge();
  EXPECT_EQ(comparison.compared, 4 * (23 * 24 / 2) + 24);  // four calls of 1 … 23 blocks each, one of 24
  EXPECT_EQ(comparison.beyond, 0);
}

TEST(IndexerScores, AQueryOnePositionOffLeavesTheBound) {
  for (const std::int64_t shift : {-1, 1}) {
    FaultyPrefill prefill;
    prefill.query_shift = shift;
    expect_found("position off by one", prefill.judge());
  }
}

TEST(IndexerScores, AKeyRotatedAtItsLastMemberLeavesTheBound) {
  FaultyPrefill prefill;
  prefill.key_shift = prefill.config.geometry.compress_ratio - 1;
  expect_found("rotated at the last member", prefill.judge());
}

TEST(IndexerScores, ATenfoldEpsilonLeavesTheBound) {
  FaultyPrefill prefill;
  prefill.config.norm_epsilon *= 10;
  expect_found("ten times epsilon", prefill.judge());
}

TEST(IndexerScores, FrequenciesRoundedToBfloat16LeaveTheBound) {
  FaultyPrefill prefill;
  for (Bounded& frequency : prefill.weights.frequencies.per_pair) {
    frequency = {round_to(DType::bfloat16, frequency.value), 0};
  }
  expect_found("bfloat16 frequencies", prefill.judge());
}

TEST(IndexerScores, AForgottenUnitOffsetLeavesTheBound) {
  for (auto norm : {&IndexerWeights::query_norm, &IndexerWeights::key_norm}) {
    FaultyPrefill prefill;
    for (double& weight : prefill.weights.*norm) weight -= 1;
    expect_found("w instead of 1 + w", prefill.judge());
  }
}

TEST(IndexerScores, SwappedRotaryHalvesLeaveTheBound) {
  FaultyPrefill prefill;
  for (Bounded& frequency : prefill.weights.frequencies.per_pair) frequency = -frequency;
  expect_found("turned the other way", prefill.judge());
}

}  // namespace
}  // namespace plumbline

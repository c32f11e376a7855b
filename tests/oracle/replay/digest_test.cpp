#include "oracle/replay/digest.h"

#include "oracle/replay/replay_model.h"
#include "tests/oracle/replay/edited_capture.h"

#include <cmath>

#include <gtest/gtest.h>
#include <omp.h>

namespace plumbline {
namespace {

std::string state_digest(const ModelCache& cache) {
  Sha256 hash;
  hash_state(cache, hash);
  return hash.finish();
}

TEST(OutputsDigest, DoesNotDependOnThreads) {
  const int before = omp_get_max_threads();
  std::vector<std::string> digests;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    digests.push_back(outputs_digest({golden_path("tiny_short")}, hf_cpu_profile()));
  }
  omp_set_num_threads(before);
  EXPECT_EQ(digests[1], digests[0]);
  EXPECT_EQ(digests[2], digests[0]);
}

TEST(OutputsDigest, DiffersBetweenProfilesAndBetweenCaptures) {
  const std::string one = outputs_digest({golden_path("tiny_short")}, hf_cpu_profile());
  EXPECT_NE(outputs_digest({golden_path("tiny_short")}, exact_profile()), one);
  EXPECT_NE(outputs_digest({golden_path("tiny_short"), golden_path("tiny_short")}, hf_cpu_profile()), one);
}

TEST(OutputsDigest, SeesTheLastBitOfOneWeight) {
  const EditedCapture edited("tiny_short");
  const std::string before = outputs_digest({edited.path()}, hf_cpu_profile());
  edited.change_floats("/weights/model.layers.2.linear_attn.out_proj.weight",
                       [](std::vector<float>& numbers) { numbers[7] = std::nextafter(numbers[7], 1.0F); });
  EXPECT_NE(outputs_digest({edited.path()}, hf_cpu_profile()), before);
}

TEST(OutputsDigest, TakesInEveryKindOfState) {
  const ModelCapture capture(golden_path("tiny_short"));
  ReplayModel loaded = load_replay_model(capture);
  const Qwen4Exp model(std::move(loaded.config), std::move(loaded.weights), hf_cpu_profile());
  ModelCache cache = model.new_cache();
  const std::vector<std::int64_t> tokens = {1, 2, 3, 4, 5};
  std::vector<Coordinates> places;
  for (std::int64_t i = 0; i < 5; ++i) places.push_back(Coordinates::text(i));
  model.forward(tokens, places, cache);
  const std::string before = state_digest(cache);
  const auto changed = [&](const std::function<void(ModelCache&)>& change) {
    ModelCache other = cache;
    change(other);
    return state_digest(other) != before;
  };
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.tokens; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.layers[1].ple->context[0]; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[1].ple->convolution.numbers.back() += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[0].delta_net->convolution.numbers[0] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[2].delta_net->heads[1].numbers[3] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[2].delta_net->earlier.numbers.push_back(1); }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[2].delta_net->grid.at(0).at(0).writes.numbers[0] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[2].delta_net->grid.at(1).at(0).decay[0] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.ids[1]; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.coordinates[1].width; }));
  EXPECT_TRUE(changed([](ModelCache& c) {
    IndexKeyCache::State state = c.layers[3].attention->index->state();
    state.raw.bytes[0] ^= std::byte{1};
    c.layers[3].attention->index->restore(std::move(state));
  }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[3].attention->keys.numbers[0] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[3].attention->values.numbers[0] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.layers[3].attention->coordinates[2].height; }));
}

}  // namespace
}  // namespace plumbline

#include "reference/model/cache_file.h"

#include "fixtures/error.h"
#include "fixtures/sha256.h"
#include "tests/reference/model/tiny_model.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

namespace plumbline {
namespace {

class CacheFile : public ::testing::Test {
 protected:
  static ModelConfig config() { return parse_model_config(tiny_config("bfloat16").dump(), "tiny"); }
  static Qwen4Exp make() {
    omp_set_num_threads(1);  // threads would only wait for each other on layers this small
    const NamedTensors parameters = random_parameters(config());
    return {config(), load_model(config(), source_of(parameters)), hf_cuda_profile()};
  }
  static std::vector<double> feed(const Qwen4Exp& model, ModelCache& cache, std::int64_t first,
                                  std::int64_t count, DeltaRuleForm form = DeltaRuleForm::chunked_on_grid) {
    std::vector<std::int64_t> ids;
    std::vector<Coordinates> places;
    for (std::int64_t t = first; t < first + count; ++t) {
      ids.push_back((t * 37 + 5) % 151);
      places.push_back({t, t + 1, t + 2});
    }
    return model.forward(ids, places, cache, {.delta_rule = form}).numbers;
  }

  /// The same sections without the one at `omitted`, under a digest of their own.
  static std::vector<std::byte> without(const std::vector<std::byte>& bytes, std::size_t omitted) {
    const std::vector<CacheSection> sections = cache_sections(bytes);
    const std::byte* start = sections[0].bytes.data() - 16 - sections[0].name.size();
    std::vector<std::byte> kept(bytes.data(), start);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (i == omitted) continue;
      const std::size_t head = 16 + sections[i].name.size();
      kept.insert(kept.end(), sections[i].bytes.data() - head,
                  sections[i].bytes.data() + sections[i].bytes.size());
    }
    const std::string digest = sha256_of(kept);
    for (const char c : digest) kept.push_back(static_cast<std::byte>(c));
    return kept;
  }
  static std::vector<std::byte> sealed(std::vector<std::byte> bytes) {
    bytes.erase(bytes.end() - 64, bytes.end());
    const std::string digest = sha256_of(bytes);
    for (const char c : digest) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
  }

  const Qwen4Exp model_ = make();
};

// CASES.md A5, C10: restored at every length of a prefix, the cache goes on as the one it was saved from.
TEST_F(CacheFile, ARestoredCacheGoesOnLikeTheSavedOneAtEveryLength) {
  for (const DeltaRuleForm form :
       {DeltaRuleForm::chunked_on_grid, DeltaRuleForm::chunked, DeltaRuleForm::recurrent}) {
    for (const std::int64_t length : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 63, 64, 65, 128}) {
      ModelCache cache = model_.new_cache();
      feed(model_, cache, 0, length, form);
      const std::vector<std::byte> bytes = save_cache(cache);
      ModelCache restored = restore_cache(model_, bytes);
      ASSERT_EQ(save_cache(restored), bytes) << length;
      ASSERT_EQ(feed(model_, restored, length, 9, form), feed(model_, cache, length, 9, form)) << length;
      ASSERT_EQ(feed(model_, restored, length + 9, 1, form), feed(model_, cache, length + 9, 1, form));
      if (form == DeltaRuleForm::chunked_on_grid) {
        ASSERT_EQ(save_cache(restored), save_cache(cache)) << length;
      }
      model_.roll_back(restored, length, {.delta_rule = form});
      ASSERT_EQ(save_cache(restored), bytes) << length;
    }
  }
}

// CASES.md C14: the list of states is complete, and none may be missing.
TEST_F(CacheFile, EveryStateIsNamedAndItsOmissionIsDetected) {
  ModelCache cache = model_.new_cache();
  feed(model_, cache, 0, 9);
  const std::vector<std::byte> bytes = save_cache(cache);
  const std::vector<CacheSection> sections = cache_sections(bytes);
  std::set<std::string> names;
  for (const CacheSection& section : sections) names.insert(section.name);
  EXPECT_EQ(names.size(), sections.size());
  for (const char* name :
       {"ids", "coordinates", "layers.1.ple.context", "layers.1.ple.convolution",
        "layers.0.delta_net.convolution", "layers.2.delta_net.heads.3", "layers.0.delta_net.chunk.0.keys",
        "layers.3.attention.keys", "layers.3.attention.values", "layers.3.attention.raw_index_keys",
        "layers.3.attention.index_keys", "layers.3.attention.block_coordinates"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    EXPECT_THROW(restore_cache(model_, without(bytes, i)), InputError) << sections[i].name;
  }
}

TEST_F(CacheFile, AnyChangedStateIsSavedAsOtherBytes) {
  ModelCache cache = model_.new_cache();
  feed(model_, cache, 0, 9);
  const std::vector<std::byte> bytes = save_cache(cache);
  const auto changed = [&](auto&& change) {
    ModelCache other = cache;
    change(other);
    return save_cache(other) != bytes;
  };
  EXPECT_FALSE(changed([](ModelCache&) {}));
  EXPECT_TRUE(changed([](ModelCache& c) { c.ids[3] ^= 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.coordinates[3].width; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[1].ple->context[0] ^= 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[1].ple->convolution.numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[0].delta_net->convolution.numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[0].delta_net->heads[2].numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[0].delta_net->grid[2][0].writes.numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[3].attention->keys.numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { c.layers[3].attention->values.numbers[5] += 1; }));
  EXPECT_TRUE(changed([](ModelCache& c) { ++c.layers[3].attention->coordinates[5].height; }));
  EXPECT_TRUE(changed([](ModelCache& c) {
    IndexKeyCache::State state = c.layers[3].attention->index->state();
    state.raw.bytes[7] ^= std::byte{1};
    c.layers[3].attention->index->restore(state);
  }));
  EXPECT_TRUE(changed([](ModelCache& c) {
    IndexKeyCache::State state = c.layers[3].attention->index->state();
    state.keys[7].value += 1;
    c.layers[3].attention->index->restore(state);
  }));
}

TEST_F(CacheFile, RefusesBytesThatAreNotWhole) {
  ModelCache cache = model_.new_cache();
  feed(model_, cache, 0, 5);
  const std::vector<std::byte> bytes = save_cache(cache);
  for (std::size_t size = 0; size < bytes.size(); size += 101)
    EXPECT_THROW(restore_cache(model_, std::span(bytes).first(size)), InputError) << size;
  for (std::size_t at = 0; at < bytes.size(); at += 997) {
    std::vector<std::byte> flipped = bytes;
    flipped[at] ^= std::byte{0x10};
    EXPECT_THROW(restore_cache(model_, flipped), InputError) << at;
  }
}

// Lengths and extents of any size, under a digest that fits.
TEST_F(CacheFile, RefusesAbsurdNumbersUnderARightDigest) {
  ModelCache cache = model_.new_cache();
  feed(model_, cache, 0, 5);
  const std::vector<std::byte> bytes = save_cache(cache);
  for (const CacheSection& section : cache_sections(bytes)) {
    const auto at = static_cast<std::size_t>(section.bytes.data() - bytes.data());
    for (const std::size_t field : {at - 8, at, at + 8}) {  // its size, rank and first extent
      for (const std::int64_t absurd :
           {std::int64_t{-1}, std::int64_t{1} << 61, INT64_MAX, std::int64_t{0}}) {
        std::vector<std::byte> edited = bytes;
        std::memcpy(edited.data() + field, &absurd, sizeof absurd);
        EXPECT_THROW(restore_cache(model_, sealed(edited)), InputError) << section.name << " " << absurd;
      }
    }
  }
}

TEST_F(CacheFile, RefusesTheCacheOfAnotherShape) {
  nlohmann::json other = tiny_config("bfloat16");
  other["linear_value_head_dim"] = 16;
  const ModelConfig config = parse_model_config(other.dump(), "other");
  const NamedTensors parameters = random_parameters(config);
  const Qwen4Exp wider(config, load_model(config, source_of(parameters)), hf_cuda_profile());
  ModelCache cache = wider.new_cache();
  feed(wider, cache, 0, 5);
  try {
    restore_cache(model_, save_cache(cache));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.dataset(), "layers.0.delta_net.convolution");
  }
}

}  // namespace
}  // namespace plumbline

#include "reference/model/indexer_config.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fixtures/error.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

/// The released model's indexer fields (MODEL.md §1).
Json real_config() {
  return Json{{"dtype", "bfloat16"},
              {"hidden_size", 2560},
              {"rms_norm_eps", 1e-6},
              {"head_dim", 256},
              {"indexer_n_heads", 4},
              {"indexer_head_dim", 128},
              {"indexer_budget", 2048},
              {"indexer_compress_ratio", 4},
              {"layer_types", {"linear_attention", "linear_attention", "linear_attention", "full_attention"}},
              {"rope_parameters",
               {{"rope_type", "default"},
                {"rope_theta", 1e7},
                {"partial_rotary_factor", 0.25},
                {"mrope_interleaved", true},
                {"mrope_section", {11, 11, 10}}}}};
}

IndexerConfig parse(const Json& json) { return parse_indexer_config(json.dump(), "file.h5"); }

std::string refusal(const Json& json) {
  try {
    parse(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(IndexerConfig, ReadsTheReleasedModel) {
  const IndexerConfig config = parse(real_config());
  EXPECT_EQ(config.storage, DType::bfloat16);
  EXPECT_EQ(config.hidden_size, 2560);
  EXPECT_EQ(config.geometry.index_heads, 4);
  EXPECT_EQ(config.geometry.index_head_dim, 128);
  EXPECT_EQ(config.geometry.compress_ratio, 4);
  EXPECT_EQ(config.geometry.block_topk, 512);
  EXPECT_EQ(config.norm_epsilon, 1e-6);
  EXPECT_EQ(config.rope_theta, 1e7);
  EXPECT_EQ(config.rotary_dim, 64) << "a quarter of the attention heads' 256, not of 128";
  EXPECT_EQ(config.sections, (MropeSections{11, 11, 10}));
  EXPECT_EQ(config.sparse_layers, std::vector<std::int64_t>{3});
}

TEST(IndexerConfig, ReadsRopeFieldsAtTheTopLevel) {
  Json json = real_config();
  for (const auto& [name, value] : json["rope_parameters"].items()) json[name] = value;
  json.erase("rope_parameters");
  EXPECT_EQ(parse(json).rotary_dim, 64);
  EXPECT_EQ(parse(json).sections, (MropeSections{11, 11, 10}));
}

TEST(IndexerConfig, WithoutSectionsEveryPairTurnsByTime) {
  Json json = real_config();
  json["rope_parameters"].erase("mrope_section");
  EXPECT_EQ(parse(json).sections, (MropeSections{32, 0, 0}));
}

TEST(IndexerConfig, NamesTheFieldThatIsMissing) {
  for (const char* name : {"hidden_size", "rms_norm_eps", "head_dim", "indexer_n_heads", "indexer_head_dim",
                           "indexer_budget", "indexer_compress_ratio", "layer_types", "dtype"}) {
    Json json = real_config();
    json.erase(name);
    EXPECT_NE(refusal(json).find(std::string("\"") + name + "\""), std::string::npos) << refusal(json);
  }
  Json json = real_config();
  json["rope_parameters"].erase("rope_theta");
  EXPECT_EQ(refusal(json), "file.h5: /config: expected a positive number \"rope_theta\", found nothing");
}

TEST(IndexerConfig, NamesTheFieldThatIsOfNoUse) {
  const auto with = [](const char* name, const Json& value) {
    Json json = real_config();
    json[name] = value;
    return refusal(json);
  };
  EXPECT_EQ(with("indexer_n_heads", -4),
            "file.h5: /config: expected \"indexer_n_heads\" from 1 to 16777216, found -4");
  EXPECT_EQ(with("indexer_head_dim", "128"),
            "file.h5: /config: expected \"indexer_head_dim\" from 1 to 16777216, found \"128\"");
  EXPECT_EQ(
      with("indexer_budget", 2049),
      "file.h5: /config: expected \"indexer_budget\" a multiple of \"indexer_compress_ratio\" 4, found 2049");
  EXPECT_EQ(with("rms_norm_eps", 0),
            "file.h5: /config: expected a positive number \"rms_norm_eps\", found 0");
  EXPECT_EQ(with("layer_types", {"linear_attention", "mamba"}),
            "file.h5: /config: expected \"layer_types\" of linear_attention, full_attention, "
            "qwen_sparse_attention or indexed_attention, found \"mamba\"");
  EXPECT_NE(with("head_dim", 1024).find("at most \"indexer_head_dim\" 128, found 1024 · 0.25"),
            std::string::npos);
  EXPECT_NE(with("dtype", "float64").find("found \"float64\""), std::string::npos);
  EXPECT_NE(with("rope_parameters", 3).find("\"rope_parameters\""), std::string::npos);
  EXPECT_NE(with("indexer_budget", 1e300).find("\"indexer_budget\""), std::string::npos);
}

TEST(IndexerConfig, RefusesWhatIsNoObject) {
  EXPECT_THROW(parse_indexer_config("[1, 2]", "file.h5"), InputError);
  EXPECT_THROW(parse_indexer_config("{\"dtype\": ", "file.h5"), InputError);
  EXPECT_THROW(parse_indexer_config("", "file.h5"), InputError);
}

TEST(IndexerConfig, RefusesRopeOfAnotherKind) {
  Json scaled = real_config();
  scaled["rope_parameters"]["rope_type"] = "yarn";
  EXPECT_NE(refusal(scaled).find("found \"yarn\""), std::string::npos);
  Json contiguous = real_config();
  contiguous["rope_parameters"]["mrope_interleaved"] = false;
  EXPECT_NE(refusal(contiguous).find("\"mrope_interleaved\" true, found false"), std::string::npos);
  Json wide = real_config();
  wide["rope_parameters"]["mrope_section"] = {11, 33, 10};
  EXPECT_NE(refusal(wide).find("\"mrope_section\""), std::string::npos);
}

}  // namespace
}  // namespace plumbline

#include "reference/model/model_config.h"

#include "fixtures/error.h"
#include "reference/model/config_presets.h"
#include "reference/model/ngram_hash.h"
#include "tests/reference/model/tiny_model.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

ModelConfig with(const char* field, const nlohmann::json& value) {
  nlohmann::json config = tiny_config("float32");
  config[field] = value;
  return parse_model_config(config.dump(), "test");
}

std::string refusal(const char* field, const nlohmann::json& value) {
  try {
    with(field, value);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ModelConfig, ActivationsAreReadByHuggingFacesNames) {
  EXPECT_EQ(with("hidden_act", "gelu_pytorch_tanh").activation, Activation::gelu_tanh);
  EXPECT_EQ(with("hidden_act", "gelu_pytorch_tanh").gdn_output_gate, Activation::sigmoid);
  EXPECT_EQ(with("hidden_act", nullptr).activation, Activation::silu);
  EXPECT_NE(refusal("hidden_act", "gelu_new").find("\"hidden_act\""), std::string::npos);
}

// Without a gate of its own the delta net takes hidden_act, which must then be one Hugging Face accepts
// there.
TEST(ModelConfig, AnUnsetOutputGateIsTheHiddenActivation) {
  nlohmann::json config = tiny_config("float32");
  config.erase("output_gate_type");
  EXPECT_EQ(parse_model_config(config.dump(), "test").gdn_output_gate, Activation::silu);
  config["hidden_act"] = "sigmoid";
  EXPECT_EQ(parse_model_config(config.dump(), "test").gdn_output_gate, Activation::sigmoid);
  config["hidden_act"] = "gelu";
  EXPECT_THROW(parse_model_config(config.dump(), "test"), InputError);
}

// CASES.md A6: transformers takes the first of a list.
TEST(ModelConfig, EndOfSequenceMayBeAList) {
  EXPECT_EQ(with("eos_token_id", 7).end_of_sequence, 7);
  EXPECT_EQ(with("eos_token_id", {9, 7}).end_of_sequence, 9);
  for (const nlohmann::json& bad :
       {nlohmann::json(nullptr), nlohmann::json::array(), nlohmann::json{9, "x"}, nlohmann::json{9, -1},
        nlohmann::json("7"), nlohmann::json(-1), nlohmann::json(7.5)}) {
    EXPECT_NE(refusal("eos_token_id", bad).find("\"eos_token_id\""), std::string::npos) << bad;
  }
}

TEST(ConfigPresets, TheReleasedCheckpointIsMODELsTable) {
  const ModelConfig config = preset_model_config("qwen3.8-flash-next");
  EXPECT_EQ(config.layers(), 48);
  EXPECT_EQ(config.indexer.sparse_layers,
            (std::vector<std::int64_t>{3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47}));
  EXPECT_EQ(config.indexer.geometry.block_topk, 512);
  EXPECT_EQ(config.indexer.rotary_dim, 64);
  EXPECT_EQ(config.indexer.sections, (MropeSections{11, 11, 10}));
  EXPECT_EQ(config.indexer.storage, DType::bfloat16);
  EXPECT_EQ(config.attention.heads / config.attention.key_value_heads, 12);
  EXPECT_EQ(config.gdn_output_gate, Activation::sigmoid);
  EXPECT_EQ(config.experts, 512);
  EXPECT_EQ(config.experts_per_token, 10);
  EXPECT_EQ(config.ple_layers, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(config.end_of_sequence, 248044);
  const NgramShape shape{config.vocab_size,
                         config.ngram_size,
                         config.heads_per_ngram,
                         config.ngram_vocab_size_base,
                         config.ngram_divisible_by,
                         config.ngram_seed,
                         0};
  EXPECT_EQ(ngram_tables(shape).padded_rows, 320001536);
}

TEST(ConfigPresets, EveryPresetParsesAndOthersAreNamed) {
  for (const ConfigPreset& preset : config_presets()) EXPECT_NO_THROW(preset_model_config(preset.name));
  EXPECT_EQ(preset_model_config("tiny").layers(), 4);
  try {
    config_preset("big");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("qwen3.8-flash-next, tiny"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace plumbline

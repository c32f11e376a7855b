#include "reference/model/checkpoint.h"

#include "fixtures/error.h"
#include "reference/model/qwen4_exp.h"
#include "tests/fixtures/checkpoint/write_safetensors.h"
#include "tests/reference/model/tiny_model.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    omp_set_num_threads(1);
    folder_ = (fs::temp_directory_path() / fmt::format("checkpoint-{}", ::getpid())).string();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write_text(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::trunc) << text;
  }
  /// One shard per layer and one for the rest, under an index, as a larger model would name them where
  /// nested.
  void write_shards(const NamedTensors& parameters, bool nested) const {
    std::map<std::string, NamedTensors> shards;
    nlohmann::json map = nlohmann::json::object();
    for (const auto& [name, tensor] : parameters) {
      if (name == "model.rotary_emb.inv_freq") continue;  // no checkpoint has it
      const std::string layer = name.starts_with("model.layers.") ? name.substr(13, 1) : "rest";
      const std::string file = "model-" + layer + ".safetensors";
      const std::string stored =
          nested && name.starts_with("model.") ? "model.language_model." + name.substr(6) : name;
      shards[file].emplace(stored, tensor);
      map[stored] = file;
    }
    for (const auto& [file, tensors] : shards) write_safetensors(folder_ + "/" + file, tensors);
    write_text("model.safetensors.index.json",
               nlohmann::json({{"metadata", nlohmann::json::object()}, {"weight_map", map}}).dump());
  }
  std::string refusal() const {
    try {
      const Checkpoint checkpoint(folder_);
      load_model(checkpoint.config(), checkpoint.source());
      return "accepted";
    } catch (const InputError& error) {
      const std::string line = error.what();
      return line.substr(line.find(folder_) == 0 ? folder_.size() : 0);
    }
  }

  std::string folder_;
};

std::vector<double> logits_of(const ModelConfig& config, ModelWeights weights) {
  const Qwen4Exp model(config, std::move(weights), hf_cpu_profile());
  ModelCache cache = model.new_cache();
  const std::vector<std::int64_t> ids = {5, 9, 2, 77, 150, 3, 3, 8, 41};
  std::vector<Coordinates> places;
  for (std::int64_t t = 0; t < 9; ++t) places.push_back(Coordinates::text(t));
  return model.forward(ids, places, cache).numbers;
}

TEST_F(CheckpointTest, AModelFromShardsIsTheModelOfItsTensors) {
  for (const char* dtype : {"bfloat16", "float16", "float32"}) {
    for (const bool nested : {false, true}) {
      const nlohmann::json json = tiny_config(dtype);
      write_text("config.json", nested ? nlohmann::json({{"text_config", json}}).dump() : json.dump());
      const ModelConfig config = parse_model_config(json.dump(), "tiny");
      NamedTensors parameters = random_parameters(config);
      // What the config says, as a checkpoint has no frequencies of its own.
      for (std::size_t i = 0; i < 4; ++i)
        parameters["model.rotary_emb.inv_freq"].as<float>()[i] =
            static_cast<float>(1 / std::pow(1e4, static_cast<double>(i) / 4));
      write_shards(parameters, nested);
      const Checkpoint checkpoint(folder_);
      EXPECT_EQ(logits_of(checkpoint.config(), load_model(checkpoint.config(), checkpoint.source())),
                logits_of(config, load_model(config, source_of(parameters))))
          << dtype << " " << nested;
    }
  }
}

TEST_F(CheckpointTest, OneFileNeedsNoIndex) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  const NamedTensors parameters = random_parameters(config);
  write_safetensors(folder_ + "/model.safetensors", parameters);
  const Checkpoint checkpoint(folder_);
  EXPECT_TRUE(checkpoint.has("model.layers.3.self_attn.q_proj.weight"));
  EXPECT_FALSE(checkpoint.has("model.layers.4.self_attn.q_proj.weight"));
  EXPECT_EQ(logits_of(config, load_model(config, checkpoint.source())),
            logits_of(config, load_model(config, source_of(parameters))));
}

// The other shards may be absent, or broken.
TEST_F(CheckpointTest, ALayerLoadsFromItsOwnShardAlone) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  write_shards(random_parameters(config), false);
  fs::remove(folder_ + "/model-0.safetensors");
  write_text("model-rest.safetensors", "no such thing");
  const Checkpoint checkpoint(folder_);
  EXPECT_TRUE(load_layer(config, checkpoint.source(), 1).ple.has_value());
  EXPECT_TRUE(load_layer(config, checkpoint.source(), 3).attention.has_value());
  EXPECT_THROW(load_layer(config, checkpoint.source(), 0), InputError);
  EXPECT_THROW(load_model(config, checkpoint.source()), InputError);
}

// The table is read where rows of it are needed: one of 320 million rows of a sparse file.
TEST_F(CheckpointTest, TheReleasedCheckpointsEmbeddingTableIsNotRead) {
  nlohmann::json json = tiny_config("bfloat16");
  json["ngram_vocab_size_base"] = 20000000;
  json["make_ngram_vocab_size_divisible_by"] = 128;
  json["heads_per_ngram"] = 8;
  json["ple_embed_dim"] = 2560;
  ModelConfig config = parse_model_config(json.dump(), "tiny");
  // The other parameters at their shapes, with a small base.
  ModelConfig small = config;
  small.ngram_vocab_size_base = 97;
  NamedTensors parameters = random_parameters(small);
  const std::string table = "model.layers.1.ple.ple_embedding.ngram_embedding.weight";
  parameters.erase(table);
  write_safetensors(folder_ + "/rest.safetensors", parameters);
  constexpr std::int64_t rows = 320001536, bytes = rows * 160 * 2;
  write_raw_safetensors(folder_ + "/table.safetensors",
                        fmt::format(R"({{"{}":{{"dtype":"BF16","shape":[{},160],"data_offsets":[0,{}]}}}})",
                                    table, rows, bytes),
                        "");
  std::error_code error;
  fs::resize_file(folder_ + "/table.safetensors", fs::file_size(folder_ + "/table.safetensors") + bytes,
                  error);
  if (error) GTEST_SKIP() << "no sparse files here: " << error.message();
  nlohmann::json map = {{table, "table.safetensors"}};
  for (const auto& [name, tensor] : parameters) map[name] = "rest.safetensors";
  write_text("model.safetensors.index.json", nlohmann::json({{"weight_map", map}}).dump());
  // The last row of the last head's table, so that offsets are 64 bits wide.
  {
    std::fstream file(folder_ + "/table.safetensors", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-2 * 160 * 91, std::ios::end);  // row 320,001,445
    const std::uint16_t one = 0x3F80;
    file.write(reinterpret_cast<const char*>(&one), 2);
  }
  const Checkpoint checkpoint(folder_);
  const LayerWeights layer = load_layer(config, checkpoint.source(), 1);
  ASSERT_TRUE(layer.ple.has_value());
  EXPECT_EQ(layer.ple->embedding.view.shape, (Shape{rows, 160}));
  EXPECT_EQ(layer.ple->tables.rows, 320001446);
  std::uint16_t bits;
  std::memcpy(&bits, layer.ple->embedding.view.at(layer.ple->tables.rows - 1), 2);
  EXPECT_EQ(bits, 0x3F80);
  std::vector<std::int64_t> context = {2, 2};
  const std::vector<std::int64_t> ids = {150, 7};
  EXPECT_EQ(ngram_embedding<double>(ids, *layer.ple, context).numbers, std::vector<double>(2 * 2560, 0.0));
}

TEST_F(CheckpointTest, RefusesABadIndexInOneLine) {
  write_text("config.json", tiny_config("bfloat16").dump());
  EXPECT_EQ(refusal(), ": expected model.safetensors or model.safetensors.index.json, found neither");
  const std::string index = "model.safetensors.index.json";
  write_text(index, "{");
  EXPECT_NE(refusal().find("expected JSON"), std::string::npos);
  write_text(index, "{}");
  EXPECT_EQ(refusal(), "/" + index + ": weight_map: expected an object, found nothing");
  for (const char* file : {"7", "\"../a\"", "\"/etc/passwd\"", "\"a\\u0000b\""}) {
    write_text(index, std::string("{\"weight_map\":{\"lm_head.weight\":") + file + "}}");
    EXPECT_NE(refusal().find("lm_head.weight: expected the name of a file beside the index"),
              std::string::npos)
        << file;
  }
  write_text(index, R"({"weight_map":{"a":"x","a":"y"}})");
  EXPECT_EQ(refusal(), "/" + index + ": a: expected each name once, found two of it");
  write_text(index, R"({"weight_map":{"model.embed_tokens.weight":"gone.safetensors"}})");
  EXPECT_EQ(refusal(), "/gone.safetensors: expected a readable file, found No such file or directory");
}

TEST_F(CheckpointTest, RefusesAParameterThatIsMissingOrOfAnotherShape) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  write_text("config.json", tiny_config("bfloat16").dump());
  NamedTensors parameters = random_parameters(config);
  parameters.erase("model.layers.2.linear_attn.A_log");
  write_safetensors(folder_ + "/model.safetensors", parameters);
  EXPECT_EQ(refusal(), ": model.layers.2.linear_attn.A_log: expected a tensor of that name, found none");
  parameters = random_parameters(config);
  parameters["model.layers.2.linear_attn.A_log"].shape = {2, 2};
  write_safetensors(folder_ + "/model.safetensors", parameters);
  EXPECT_EQ(refusal(), ": /weights/model.layers.2.linear_attn.A_log: expected shape [4], found [2, 2]");
}

TEST_F(CheckpointTest, TheGateHalfOfAnExpertComesFirst) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  const NamedTensors parameters = random_parameters(config);
  const Tensor& both = parameters.at("model.layers.2.mlp.experts.gate_up_proj");
  const auto element = [&](std::int64_t expert, std::int64_t row, std::int64_t k) {
    return decode_element(both.dtype, both.view().at(expert, row, k));
  };
  const LayerWeights layer = load_layer(config, source_of(parameters), 2);
  for (std::int64_t expert = 0; expert < 4; ++expert) {
    const GatedMlpWeights& own = layer.experts.experts[static_cast<std::size_t>(expert)];
    for (std::int64_t row = 0; row < 8; ++row) {
      EXPECT_EQ(own.gate.at(row, 5), element(expert, row, 5));
      EXPECT_EQ(own.up.at(row, 5), element(expert, 8 + row, 5));
    }
  }
}

// An exception that passes through a half-made layer leaves no broken memory behind.
TEST_F(CheckpointTest, AnyParameterMayBeTheMissingOne) {
  const ModelConfig config = parse_model_config(tiny_config("bfloat16").dump(), "tiny");
  NamedTensors parameters = random_parameters(config);
  parameters.erase("model.rotary_emb.inv_freq");
  for (const auto& [missing, tensor] : parameters) {
    NamedTensors rest = parameters;
    rest.erase(missing);
    try {
      load_model(config, source_of(rest));
      ADD_FAILURE() << missing;
    } catch (const std::out_of_range& error) {
      EXPECT_EQ(error.what(), missing);
    }
  }
}

}  // namespace
}  // namespace plumbline

#include "reference/model/model_config.h"

#include "reference/model/config_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

void require_multiple(const ConfigReader& reader, const char* name, std::int64_t value, const char* of,
                      std::int64_t divisor) {
  if (value % divisor != 0) {
    reader.fail(fmt::format("\"{}\" a multiple of \"{}\" {}", name, of, divisor), std::to_string(value));
  }
}

void read_attention(const ConfigReader& reader, ModelConfig& config) {
  config.attention = {reader.extent("num_attention_heads"), reader.extent("num_key_value_heads"),
                      reader.extent("head_dim")};
  require_multiple(reader, "num_attention_heads", config.attention.heads, "num_key_value_heads",
                   config.attention.key_value_heads);
  if (reader.flag("attention_bias", false)) reader.fail("\"attention_bias\" false", "true");
}

void read_delta_net(const ConfigReader& reader, ModelConfig& config) {
  config.gdn_key_heads = reader.extent("linear_num_key_heads");
  config.gdn_value_heads = reader.extent("linear_num_value_heads");
  require_multiple(reader, "linear_num_value_heads", config.gdn_value_heads, "linear_num_key_heads",
                   config.gdn_key_heads);
  config.gdn_key_dim = reader.extent("linear_key_head_dim");
  config.gdn_value_dim = reader.extent("linear_value_head_dim");
  config.gdn_taps = reader.extent("linear_conv_kernel_dim");
  // Unset means hidden_act (MODEL.md §2.1, pitfall 7); Hugging Face knows these two gates.
  const char* gate_field = reader.has("output_gate_type") ? "output_gate_type" : "hidden_act";
  config.gdn_output_gate = *find_activation(reader.choice(gate_field, {"silu", "sigmoid"}));
}

void read_experts(const ConfigReader& reader, ModelConfig& config) {
  config.experts = reader.extent("num_experts");
  config.experts_per_token = reader.extent("num_experts_per_tok");
  if (config.experts_per_token > config.experts) {
    reader.fail(fmt::format("\"num_experts_per_tok\" at most \"num_experts\" {}", config.experts),
                std::to_string(config.experts_per_token));
  }
  config.expert_width = reader.extent("moe_intermediate_size");
  config.shared_expert_width = reader.extent("shared_expert_intermediate_size");
  config.renormalise_router = reader.flag("norm_topk_prob", true);
}

void read_ple(const ConfigReader& reader, ModelConfig& config) {
  for (const std::int64_t one_based : reader.extents("ple_layer_ids")) {
    if (one_based > config.layers()) {
      reader.fail(fmt::format("\"ple_layer_ids\" from 1 to {}", config.layers()), std::to_string(one_based));
    }
    config.ple_layers.push_back(one_based - 1);
  }
  config.end_of_sequence = reader.first_integer("eos_token_id", 0, 0);
  if (config.ple_layers.empty()) return;
  if (!reader.has("eos_token_id"))
    reader.fail("an integer \"eos_token_id\", which PLE layers hash", "nothing");
  config.ple_width = reader.integer("ple_embed_dim", 1, config.indexer.hidden_size);
  config.ple_taps = reader.extent("ple_conv_kernel_size");
  config.ngram_size = reader.extent("ngram_size");
  config.heads_per_ngram = reader.extent("heads_per_ngram");
  config.ngram_vocab_size_base = reader.integer("ngram_vocab_size_base", 1, 0);
  if (config.ngram_vocab_size_base == 0) reader.fail("an integer \"ngram_vocab_size_base\"", "nothing");
  config.ngram_divisible_by = reader.extent("make_ngram_vocab_size_divisible_by");
  config.ngram_seed = reader.integer("seed", 0, 1234);
  const std::int64_t heads = (config.ngram_size - 1) * config.heads_per_ngram;
  if (heads < 1 || config.ple_width % heads != 0) {
    reader.fail(fmt::format("\"ple_embed_dim\" a multiple of the {} n-gram heads", heads),
                std::to_string(config.ple_width));
  }
  if (config.end_of_sequence >= config.vocab_size) {
    reader.fail(fmt::format("\"eos_token_id\" below \"vocab_size\" {}", config.vocab_size),
                std::to_string(config.end_of_sequence));
  }
}

}  // namespace

std::int64_t ModelConfig::ple_ordinal(std::int64_t layer) const {
  const auto found = std::find(ple_layers.begin(), ple_layers.end(), layer);
  return found == ple_layers.end() ? -1 : found - ple_layers.begin();
}

ModelConfig parse_model_config(const std::string& json, const std::string& file) {
  const ConfigReader reader(json, file);
  ModelConfig config;
  config.indexer = parse_indexer_config(json, file);
  config.vocab_size = reader.extent("vocab_size");
  config.streams = reader.extent("hc_count");
  config.stream_rank = reader.extent("hc_lowrank");
  config.layer_is_sparse = reader.layer_is_sparse();
  config.tied_embeddings = reader.flag("tie_word_embeddings", false);
  config.activation = *find_activation(reader.choice("hidden_act", activation_names()));
  read_attention(reader, config);
  read_delta_net(reader, config);
  read_experts(reader, config);
  read_ple(reader, config);
  return config;
}

}  // namespace plumbline

// The config of a model.

#include "reference/model/model_config.h"
#include "tests/fuzz/fuzz.h"

using namespace plumbline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refuses<InputError>([&] {
    const ModelConfig config = parse_model_config(std::string(fuzz::text_of(data, size)), "f");
    fuzz::require(config.layers() > 0 && config.attention.heads % config.attention.key_value_heads == 0 &&
                      config.gdn_value_heads % config.gdn_key_heads == 0 &&
                      config.experts_per_token <= config.experts,
                  "a config that no model has");
    for (const std::int64_t layer : config.ple_layers)
      fuzz::require(layer >= 0 && layer < config.layers(), "a PLE layer that is none");
  });
  return 0;
}

#pragma once

#include "fixtures/checkpoint/safetensors.h"
#include "reference/model/model_config.h"
#include "reference/model/model_weights.h"

#include <map>
#include <memory>
#include <string>

namespace plumbline {

/// A checkpoint in a folder as Hugging Face lays it out: config.json, and model.safetensors or the shards
/// that model.safetensors.index.json maps each parameter to. Shards are opened when a parameter of theirs is
/// asked for, and only the bytes of what is loaded are read: load_layer() of one layer reads that layer.
class Checkpoint {
 public:
  /// Throws InputError for a folder without either file, or an index that is no such map. Shards must lie in
  /// the folder itself.
  explicit Checkpoint(const std::string& folder);

  /// The text model's config: "text_config" where there is one. Throws InputError.
  ModelConfig config() const;

  /// Names as in load_model(); where the text model is part of a larger one, "model.layers…" also stands for
  /// "model.language_model.layers…".
  bool has(const std::string& name) const;
  /// Throws InputError for a name or a shard that is not there, and for what SafetensorsFile refuses.
  SharedTensor tensor(const std::string& name) const;

  /// Refers to this checkpoint.
  WeightSource source() const;

 private:
  /// The name a parameter has in the files; empty where it has none.
  std::string stored_name(const std::string& name) const;
  const SafetensorsFile& shard(const std::string& file) const;

  std::string folder_;
  std::map<std::string, std::string> shard_of_;  ///< file by stored name
  mutable std::map<std::string, std::unique_ptr<const SafetensorsFile>> open_;
};

}  // namespace plumbline

#include "reference/model/checkpoint.h"

#include "fixtures/capture/utf8.h"
#include "fixtures/checkpoint/strict_json.h"
#include "fixtures/error.h"

#include <cstring>
#include <filesystem>
#include <string_view>

namespace plumbline {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSingle = "model.safetensors", kIndex = "model.safetensors.index.json";

nlohmann::json read_json(const std::string& path) {
  const auto file = MappedFile::open(path);
  return parse_strict_json(path, "",
                           {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
}

std::map<std::string, std::string> read_index(const std::string& path) {
  const nlohmann::json index = read_json(path);
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object())
    throw InputError(path, "weight_map", "an object", map == index.end() ? "nothing" : map->type_name());
  std::map<std::string, std::string> shards;
  for (const auto& [name, file] : map->items()) {
    // A path could lead anywhere.
    if (!file.is_string() ||
        file.get<std::string>().find_first_of(std::string("/\0", 2)) != std::string::npos)
      throw InputError(path, printable(name), "the name of a file beside the index", printable(file.dump()));
    shards.emplace(name, file.get<std::string>());
  }
  return shards;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& folder) : folder_(folder) {
  const fs::path index = fs::path(folder) / kIndex, single = fs::path(folder) / kSingle;
  std::error_code error;
  if (fs::exists(index, error)) {
    shard_of_ = read_index(index.string());
  } else if (fs::exists(single, error)) {
    for (const std::string& name : shard(std::string(kSingle)).names())
      shard_of_.emplace(name, std::string(kSingle));
  } else {
    throw InputError(folder, "", "model.safetensors or model.safetensors.index.json", "neither");
  }
}

ModelConfig Checkpoint::config() const {
  const std::string path = (fs::path(folder_) / "config.json").string();
  const nlohmann::json config = read_json(path);
  const auto text = config.find("text_config");
  return parse_model_config(text == config.end() ? config.dump() : text->dump(), path);
}

std::string Checkpoint::stored_name(const std::string& name) const {
  if (shard_of_.contains(name)) return name;
  constexpr std::string_view model = "model.", inside = "model.language_model.";
  if (!name.starts_with(model)) return "";
  const std::string nested = std::string(inside) + name.substr(model.size());
  return shard_of_.contains(nested) ? nested : "";
}

const SafetensorsFile& Checkpoint::shard(const std::string& file) const {
  auto& opened = open_[file];
  if (!opened) opened = std::make_unique<const SafetensorsFile>((fs::path(folder_) / file).string());
  return *opened;
}

bool Checkpoint::has(const std::string& name) const { return !stored_name(name).empty(); }

SharedTensor Checkpoint::tensor(const std::string& name) const {
  const std::string stored = stored_name(name);
  if (stored.empty()) throw InputError(folder_, printable(name), "a tensor of that name", "none");
  return shard(shard_of_.at(stored)).tensor(stored);
}

WeightSource Checkpoint::source() const {
  return {folder_,
          [this](const std::string& name) {
            const SharedTensor shared = tensor(name);
            Tensor copy(shared.view.dtype, shared.view.shape);
            std::memcpy(copy.bytes.data(), shared.view.data, copy.bytes.size());
            return copy;
          },
          [this](const std::string& name) { return has(name); },
          [this](const std::string& name) { return tensor(name); }};
}

}  // namespace plumbline

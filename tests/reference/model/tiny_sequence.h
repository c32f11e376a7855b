#pragma once

#include "reference/model/cache_file.h"
#include "reference/model/qwen4_exp.h"
#include "tests/reference/model/tiny_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <omp.h>

namespace plumbline {

struct Sequence {
  std::vector<std::int64_t> ids;
  std::vector<Coordinates> places;

  /// Tokens [first, first + count) of a fixed text, whose end-of-sequence tokens fall at 11 and 30 and whose
  /// three axes part at an image.
  static Sequence tokens(std::int64_t first, std::int64_t count, std::int64_t dialect = 0) {
    Sequence sequence;
    for (std::int64_t t = first; t < first + count; ++t) {
      sequence.ids.push_back(t == 11 || t == 30 ? 2 : (t * t * 7 + 13 * t + 5 + 31 * dialect) % 151);
      const bool image = t >= 16 && t < 25;
      sequence.places.push_back(image ? Coordinates{16, 16 + (t - 16) / 3, 16 + (t - 16) % 3}
                                      : Coordinates::text(t));
    }
    return sequence;
  }
};

/// One model for each profile and storage, made once. Its layers are so small that threads would only wait
/// for each other; that their number changes no bit is the digest's business.
inline const Qwen4Exp& model_of(const RoundingProfile& profile, const char* dtype = "bfloat16") {
  omp_set_num_threads(1);
  static std::map<std::string, std::unique_ptr<Qwen4Exp>> models;
  std::unique_ptr<Qwen4Exp>& model = models[std::string(profile.name) + dtype];
  if (!model) {
    const ModelConfig config = parse_model_config(tiny_config(dtype).dump(), "tiny");
    const NamedTensors parameters = random_parameters(config);
    model = std::make_unique<Qwen4Exp>(config, load_model(config, source_of(parameters)), profile);
  }
  return *model;
}

inline std::vector<double> feed(const Qwen4Exp& model, ModelCache& cache, const Sequence& sequence,
                                const ForwardOptions& options = {}) {
  return model.forward(sequence.ids, sequence.places, cache, options).numbers;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// The first section in which two caches differ; empty where none does.
inline std::string difference(const ModelCache& a, const ModelCache& b) {
  const std::vector<std::byte> left = save_cache(a), right = save_cache(b);
  if (left == right) return "";
  const auto ours = cache_sections(left), theirs = cache_sections(right);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (ours[i].name != theirs[i].name || !std::ranges::equal(ours[i].bytes, theirs[i].bytes))
      return ours[i].name;
  }
  return "number of sections";
}

inline ModelCache fresh(const Qwen4Exp& model, std::int64_t tokens, const ForwardOptions& options = {}) {
  ModelCache cache = model.new_cache();
  feed(model, cache, Sequence::tokens(0, tokens), options);
  return cache;
}

}  // namespace plumbline

#include "oracle/replay/replay_model.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/faulty_cache.h"
#include "oracle/selftest/mutant.h"
#include "reference/model/cache_file.h"

#include <algorithm>
#include <cstring>
#include <memory>

// Sequences that are chunked, rolled back, forked, reused and restored, beside the same tokens in one call.
namespace plumbline::selftest {
namespace {

// Neither ends a block of 4 tokens nor a chunk of the delta rule.
constexpr std::int64_t kPrefix = 77, kDrafts = 3, kContinued = 9;

class CacheTrial {
 public:
  CacheTrial(const Qwen4Exp& model, const CacheFault& fault, std::uint64_t seed)
      : model_(model), fault_(fault), seed_(seed), fresh_(model.new_cache()) {}

  Trial run() {
    chunks();
    roll_back();
    fork();
    reuse();
    restore();
    return trial_;
  }

 private:
  /// Token `position` of a text.
  std::int64_t id(std::int64_t text, std::int64_t position) const {
    const auto mixed = (static_cast<std::uint64_t>(text * 8191 + position) + seed_) * 0x9E3779B97F4A7C15u;
    return static_cast<std::int64_t>((mixed >> 33) % static_cast<std::uint64_t>(model_.config().vocab_size));
  }

  Rows<double> feed(ModelCache& cache, std::int64_t text, std::int64_t first, std::int64_t count,
                    bool faulty = true) {
    std::vector<std::int64_t> ids;
    std::vector<Coordinates> places;
    for (std::int64_t t = first; t < first + count; ++t) {
      ids.push_back(id(text, t));
      places.push_back(Coordinates::text(faulty && fault_.position ? fault_.position(t, first) : t));
    }
    return model_.forward(ids, places, cache);
  }

  /// Continues `cache`, of `tokens` tokens of the text, beside the text in one call.
  void compare(const char* check, ModelCache cache, std::int64_t text, std::int64_t tokens) {
    ModelCache whole = model_.new_cache();
    feed(whole, text, 0, tokens, false);
    const Rows<double> wanted = feed(whole, text, tokens, kContinued, false),
                       found = feed(cache, text, tokens, kContinued);
    ++trial_.cases;
    if (std::memcmp(wanted.numbers.data(), found.numbers.data(), wanted.numbers.size() * sizeof(double)) != 0)
      accuse(trial_, check, "logits differ from those of the same tokens in one call");
    else if (save_cache(whole) != save_cache(cache))
      accuse(trial_, check, "the state differs from that of the same tokens in one call");
  }

  void chunks() {
    for (const std::int64_t chunk : {1, 7, 32}) {
      ModelCache cache = model_.new_cache();
      for (std::int64_t first = 0; first < kPrefix; first += chunk) {
        feed(cache, 1, first, std::min(chunk, kPrefix - first));
        if (fault_.after_call) fault_.after_call(cache, fresh_);
      }
      compare("chunks", std::move(cache), 1, kPrefix);
    }
  }

  ModelCache prefix(std::int64_t text, std::int64_t tokens = kPrefix) {
    ModelCache cache = model_.new_cache();
    feed(cache, text, 0, tokens, false);
    return cache;
  }

  void roll_back() {
    ModelCache cache = prefix(2);
    feed(cache, 3, kPrefix, kDrafts, false);  // another text's tokens
    const ModelCache rejected = cache;
    model_.roll_back(cache, kPrefix);
    if (fault_.after_roll_back) fault_.after_roll_back(cache, rejected);
    compare("roll_back", std::move(cache), 2, kPrefix);
  }

  void fork() {
    ModelCache parent = prefix(4);
    ModelCache child = parent;
    if (fault_.after_fork) fault_.after_fork(parent, child, fresh_);
    compare("fork", child, 4, kPrefix);
    feed(child, 5, kPrefix, kDrafts, false);
    if (fault_.after_child) fault_.after_child(parent, child);
    compare("fork", std::move(parent), 4, kPrefix);
  }

  void reuse() {
    const ModelCache left = prefix(6);
    ModelCache slot = left;
    model_.roll_back(slot, 0);
    if (fault_.after_reset) fault_.after_reset(slot, left);
    compare("reuse", std::move(slot), 7, 0);
  }

  void restore() {
    ModelCache cache = restore_cache(model_, save_cache(prefix(8)));
    if (fault_.after_restore) fault_.after_restore(cache, fresh_);
    compare("restore", std::move(cache), 8, kPrefix);
  }

  const Qwen4Exp& model_;
  const CacheFault& fault_;
  std::uint64_t seed_;
  ModelCache fresh_;
  Trial trial_;
};

}  // namespace

Suite cache_suite(const std::string& capture_file) {
  Suite suite;
  suite.name = "cache";
  suite.checks = {"chunks", "roll_back", "fork", "reuse", "restore"};
  const auto faults = std::make_shared<const std::vector<CacheFault>>(cache_faults());
  for (const CacheFault& fault : *faults)
    suite.mutants.push_back({"cache." + fault.id, fault.hazard, fault.about, fault.check});
  const auto model = std::make_shared<std::unique_ptr<Qwen4Exp>>();
  suite.run = [faults, capture_file, model](std::string_view id, std::uint64_t seed_shift) {
    if (!*model) {
      ReplayModel made = load_replay_model(ModelCapture(capture_file));
      *model = std::make_unique<Qwen4Exp>(made.config, std::move(made.weights), hf_cpu_profile());
    }
    const auto found =
        std::ranges::find_if(*faults, [&](const CacheFault& fault) { return "cache." + fault.id == id; });
    return CacheTrial(**model, found == faults->end() ? CacheFault{} : *found, seed_shift).run();
  };
  return suite;
}

}  // namespace plumbline::selftest

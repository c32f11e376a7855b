#pragma once

#include "oracle/replay/digest.h"
#include "oracle/replay/replay_model.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <omp.h>

namespace plumbline {

// Four requests of different lengths, each run alone.

inline constexpr std::array<std::int64_t, 4> kLengths = {1, 5, 9, 2060};
inline constexpr std::int64_t kBatch = 4, kLongest = 2060;

/// One row's request, by itself: its prompt and three calls more.
struct Request {
  std::vector<std::int64_t> ids;
  std::vector<Coordinates> places;
};
inline constexpr std::array<std::int64_t, 3> kLater = {1, 6, 1};

inline Request request(std::int64_t row, std::int64_t vocabulary) {
  Request all;
  for (std::int64_t t = 0; t < kLengths[static_cast<std::size_t>(row)] + 8; ++t) {
    all.ids.push_back((t * t * 7 + 13 * t + 31 * row + 5) % vocabulary);
    // Axes part as behind an image, differently in each row.
    all.places.push_back({t, t + row, std::max<std::int64_t>(0, t - 2 * row)});
  }
  return all;
}

/// Every request run by itself, by the model of a golden.
class SingleRuns {
 public:
  static const SingleRuns& of(const std::string& golden) {
    static std::map<std::string, SingleRuns> made;
    const auto found = made.find(golden);
    return found != made.end() ? found->second : made.emplace(golden, SingleRuns(golden)).first->second;
  }

  std::vector<std::vector<Rows<double>>> logits;  ///< by row and call
  std::vector<ModelCache> caches;
  std::int64_t vocabulary = 0;

  /// outputs_digest() of a capture of these runs.
  std::string digest() const {
    Sha256 hash;
    const auto feed = [&hash](std::uint64_t bits) {
      std::array<std::byte, 8> bytes;
      for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
      hash.update(bytes);
    };
    for (std::size_t call = 0; call <= kLater.size(); ++call) {
      for (const auto& of_row : logits) {
        feed(static_cast<std::uint64_t>(of_row[call].rows));
        feed(static_cast<std::uint64_t>(of_row[call].width));
        for (const double number : of_row[call].numbers) feed(std::bit_cast<std::uint64_t>(number));
      }
    }
    for (const ModelCache& cache : caches) hash_state(cache, hash);
    return hash.finish();
  }

 private:
  explicit SingleRuns(const std::string& golden) {
    omp_set_num_threads(1);  // layers are so small that threads would only wait for each other
    const ModelCapture capture(golden_path(golden));
    ReplayModel loaded = load_replay_model(capture);
    const auto model =
        std::make_shared<Qwen4Exp>(std::move(loaded.config), std::move(loaded.weights), hf_cpu_profile());
    vocabulary = model->config().vocab_size;
    ForwardOptions options;
    options.delta_rule = delta_rule_of(hf_cpu_profile());
    options.expert_sum = expert_sum_of(capture.info());
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const Request whole = request(row, vocabulary);
      ModelCache cache = model->new_cache();
      std::vector<Rows<double>> calls;
      std::size_t done = 0;
      const auto call = [&](std::int64_t tokens) {
        const auto count = static_cast<std::size_t>(tokens);
        calls.push_back(model->forward(std::span(whole.ids).subspan(done, count),
                                       std::span(whole.places).subspan(done, count), cache, options));
        done += count;
      };
      call(kLengths[static_cast<std::size_t>(row)]);
      for (const std::int64_t tokens : kLater) call(tokens);
      logits.push_back(std::move(calls));
      caches.push_back(std::move(cache));
    }
    model_ = model;  // caches refer to it
  }

  std::shared_ptr<const Qwen4Exp> model_;
};

}  // namespace plumbline

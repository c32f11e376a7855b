#include "oracle/replay/digest.h"
#include "oracle/replay/free_running.h"
#include "oracle/replay/replay_model.h"
#include "tests/oracle/replay/edited_capture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

namespace plumbline {
namespace {

constexpr std::array<std::int64_t, 4> kLengths = {1, 5, 9, 2060};
constexpr std::int64_t kBatch = 4, kLongest = 2060;

/// One row's request, by itself: its prompt and three calls more.
struct Request {
  std::vector<std::int64_t> ids;
  std::vector<Coordinates> places;
};
constexpr std::array<std::int64_t, 3> kLater = {1, 6, 1};

Request request(std::int64_t row, std::int64_t vocabulary) {
  Request all;
  for (std::int64_t t = 0; t < kLengths[static_cast<std::size_t>(row)] + 8; ++t) {
    all.ids.push_back((t * t * 7 + 13 * t + 31 * row + 5) % vocabulary);
    // Axes part as behind an image, differently in each row.
    all.places.push_back({t, t + row, std::max<std::int64_t>(0, t - 2 * row)});
  }
  return all;
}

/// A capture whose calls are those of the four requests as one left-padded batch; what pads hold is given.
class PaddedBatch {
 public:
  PaddedBatch(const std::string& golden, std::int64_t pad_id, std::int64_t pad_place, float pad_logit)
      : edited_(golden),
        model_(loaded(edited_.path())),
        expert_sum_(expert_sum_of(ModelCapture(edited_.path()).info())),
        pad_id_(pad_id),
        pad_place_(pad_place) {
    edit(edited_.path(), [&](hid_t file) { drop(file, "/forward"); });
    edit(edited_.path(), [&](hid_t file) { make_group(file, "/forward"); });
    run_alone();
    std::int64_t position = 0;
    write(0, "prefill", 0, kLongest, pad_logit);
    position = kLongest;
    for (std::size_t call = 0; call < kLater.size(); ++call) {
      write(static_cast<std::int64_t>(call) + 1, kLater[call] == 1 ? "decode" : "chunk", position,
            kLater[call], pad_logit);
      position += kLater[call];
    }
  }

  const std::string& path() const { return edited_.path(); }
  /// outputs_digest() of the capture, from the single runs.
  std::string digest_of_single_runs() const {
    Sha256 hash;
    const auto feed = [&hash](std::uint64_t bits) {
      std::array<std::byte, 8> bytes;
      for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
      hash.update(bytes);
    };
    for (std::size_t call = 0; call <= kLater.size(); ++call) {
      for (const auto& logits : logits_) {
        feed(static_cast<std::uint64_t>(logits[call].rows));
        feed(static_cast<std::uint64_t>(logits[call].width));
        for (const double number : logits[call].numbers) feed(std::bit_cast<std::uint64_t>(number));
      }
    }
    for (const ModelCache& cache : caches_) hash_state(cache, hash);
    return hash.finish();
  }

 private:
  static Qwen4Exp loaded(const std::string& path) {
    omp_set_num_threads(1);  // layers are so small that threads would only wait for each other
    ReplayModel model = load_replay_model(ModelCapture(path));
    return {std::move(model.config), std::move(model.weights), hf_cpu_profile()};
  }
  static void make_group(hid_t file, const std::string& name) {
    const Hdf5Handle group(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    must(group.valid() ? 0 : -1);
  }

  void run_alone() {
    ForwardOptions options;
    options.delta_rule = delta_rule_of(hf_cpu_profile());
    options.expert_sum = expert_sum_;
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const Request whole = request(row, model_.config().vocab_size);
      ModelCache cache = model_.new_cache();
      std::vector<Rows<double>> calls;
      std::size_t done = 0;
      const auto call = [&](std::int64_t tokens) {
        const auto count = static_cast<std::size_t>(tokens);
        calls.push_back(model_.forward(std::span(whole.ids).subspan(done, count),
                                       std::span(whole.places).subspan(done, count), cache, options));
        done += count;
      };
      call(kLengths[static_cast<std::size_t>(row)]);
      for (const std::int64_t tokens : kLater) call(tokens);
      logits_.push_back(std::move(calls));
      caches_.push_back(std::move(cache));
    }
  }

  void write(std::int64_t number, const std::string& phase, std::int64_t position, std::int64_t tokens,
             float pad_logit) const {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const std::int64_t all = position + tokens, vocabulary = model_.config().vocab_size;
    std::vector<std::int64_t> mask(size(kBatch * all), 0), ids(size(kBatch * tokens), pad_id_),
        places(size(4 * kBatch * tokens), pad_place_);
    std::vector<float> logits(size(kBatch * tokens * vocabulary), pad_logit);
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const Request whole = request(row, vocabulary);
      const std::int64_t padded = kLongest - kLengths[size(row)];
      std::fill_n(mask.begin() + row * all + padded, all - padded, 1);
      for (std::int64_t t = std::max<std::int64_t>(0, padded - position); t < tokens; ++t) {
        const std::int64_t own = position + t - padded;
        const Coordinates& at = whole.places[size(own)];
        ids[size(row * tokens + t)] = whole.ids[size(own)];
        const std::array<std::int64_t, 4> axes = {own, at.temporal, at.height, at.width};
        for (std::int64_t axis = 0; axis < 4; ++axis)
          places[size((axis * kBatch + row) * tokens + t)] = axes[size(axis)];
        const Rows<double>& ours = logits_[size(row)][size(number)];
        const std::int64_t live = t - std::max<std::int64_t>(0, padded - position);
        std::ranges::copy(ours.row(live), logits.begin() + (row * tokens + t) * vocabulary);
      }
    }
    const std::string group = fmt::format("/forward/{:04}", number);
    const auto extent = [](std::int64_t count) { return static_cast<hsize_t>(count); };
    edit(edited_.path(), [&](hid_t file) {
      make_group(file, group);
      put_fixed_text(file, group, "phase", phase);
      put_integer(file, group, "position", position);
      put_integer(file, group, "tokens", tokens);
      put(file, group + "/attention_mask", H5T_NATIVE_INT64, {kBatch, extent(all)}, mask.data());
      put(file, group + "/input_ids", H5T_NATIVE_INT64, {kBatch, extent(tokens)}, ids.data());
      put(file, group + "/position_ids", H5T_NATIVE_INT64, {4, kBatch, extent(tokens)}, places.data());
      put(file, group + "/logits", H5T_NATIVE_FLOAT, {kBatch, extent(tokens), extent(vocabulary)},
          logits.data());
    });
  }

  EditedCapture edited_;
  Qwen4Exp model_;
  ExpertSum expert_sum_;
  std::int64_t pad_id_, pad_place_;
  std::vector<std::vector<Rows<double>>> logits_;  ///< by row and call
  std::vector<ModelCache> caches_;
};

// CASES.md C11: each row of a left-padded batch has the logits and the state of its request alone, bit for
// bit; H7: whatever its pads hold, also where an engine's are NaN.
class PaddedBatches : public testing::TestWithParam<const char*> {};

TEST_P(PaddedBatches, EachRowIsItsSingleRunWhateverItsPadsHold) {
  const PaddedBatch plain(GetParam(), 0, 0, 0);
  const std::string single = plain.digest_of_single_runs();
  EXPECT_EQ(outputs_digest({plain.path()}, hf_cpu_profile()), single);
  const PaddedBatch poisoned(GetParam(), 63, std::numeric_limits<std::int64_t>::min(),
                             std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(outputs_digest({poisoned.path()}, hf_cpu_profile()), single);
}

TEST_P(PaddedBatches, ReplaysToTheLogitsOfTheSingleRuns) {
  const PaddedBatch poisoned(GetParam(), 63, std::numeric_limits<std::int64_t>::max(),
                             std::numeric_limits<float>::quiet_NaN());
  const FreeRunningReport report = run_freely(ModelCapture(poisoned.path()), hf_cpu_profile());
  EXPECT_EQ(report.rows, 1 + 5 + 9 + 2060 + 4 * 8);
  EXPECT_EQ(report.argmax_equal, report.rows);
  EXPECT_EQ(report.max_abs, 0);
}

INSTANTIATE_TEST_SUITE_P(Goldens, PaddedBatches, testing::Values("padded3_fp32"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace plumbline

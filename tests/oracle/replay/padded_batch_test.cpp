#include "oracle/replay/free_running.h"
#include "tests/oracle/replay/edited_capture.h"
#include "tests/oracle/replay/single_runs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// A capture whose calls are those of the four requests as one left-padded batch; what pads hold is given.
class PaddedBatch {
 public:
  PaddedBatch(const std::string& golden, std::int64_t pad_id, std::int64_t pad_place, float pad_logit)
      : edited_(golden), single_(SingleRuns::of(golden)), pad_id_(pad_id), pad_place_(pad_place) {
    edit(edited_.path(), [](hid_t file) {
      drop(file, "/forward");
      make_group(file, "/forward");
    });
    write(0, "prefill", 0, kLongest, pad_logit);
    std::int64_t position = kLongest;
    for (std::size_t call = 0; call < kLater.size(); ++call) {
      write(static_cast<std::int64_t>(call) + 1, kLater[call] == 1 ? "decode" : "chunk", position,
            kLater[call], pad_logit);
      position += kLater[call];
    }
  }

  const std::string& path() const { return edited_.path(); }

 private:
  static void make_group(hid_t file, const std::string& name) {
    const Hdf5Handle group(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    must(group.valid() ? 0 : -1);
  }

  void write(std::int64_t number, const std::string& phase, std::int64_t position, std::int64_t tokens,
             float pad_logit) const {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const std::int64_t all = position + tokens, vocabulary = single_.vocabulary;
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
        const Rows<double>& ours = single_.logits[size(row)][size(number)];
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
  const SingleRuns& single_;
  std::int64_t pad_id_, pad_place_;
};

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::min();

// CASES.md C11: each row of a left-padded batch has the logits and the state of its request alone, bit for
// bit; H7: whatever its pads hold, also where an engine's are NaN. One model has no PLE, the other has one.
class PaddedBatches : public testing::TestWithParam<const char*> {};

TEST_P(PaddedBatches, EachRowIsItsSingleRun) {
  const PaddedBatch batch(GetParam(), 0, 0, 0);
  EXPECT_EQ(outputs_digest({batch.path()}, hf_cpu_profile()), SingleRuns::of(GetParam()).digest());
}

TEST_P(PaddedBatches, EachRowIsItsSingleRunWhateverItsPadsHold) {
  const PaddedBatch batch(GetParam(), 63, kNowhere, kNotANumber);
  EXPECT_EQ(outputs_digest({batch.path()}, hf_cpu_profile()), SingleRuns::of(GetParam()).digest());
}

TEST_P(PaddedBatches, ReplaysToTheLogitsOfTheSingleRuns) {
  const PaddedBatch batch(GetParam(), 63, kNowhere, kNotANumber);
  const FreeRunningReport report = run_freely(ModelCapture(batch.path()), hf_cpu_profile());
  EXPECT_EQ(report.rows, 1 + 5 + 9 + 2060 + 4 * 8);
  EXPECT_EQ(report.argmax_equal, report.rows);
  EXPECT_EQ(report.max_abs, 0);
}

INSTANTIATE_TEST_SUITE_P(Goldens, PaddedBatches, testing::Values("padded3_fp32", "tiny_padded"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace plumbline

#include "oracle/replay/replay_report.h"
#include "oracle/replay/teacher_forced.h"
#include "tests/oracle/replay/edited_capture.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr const char* kGolden = "tiny_short";

/// The report of one tap of one forward call.
TapReport replay_of(const std::string& path, const ReplayModel& model, const std::string& forward,
                    const std::string& name) {
  const ModelCapture capture(path);
  ReplayOptions options;
  options.layer = layer_of_tap(name);
  options.wanted = [&](const std::string& tap) { return tap == name; };
  for (const TapReport& tap : TeacherForcedReplay(capture, hf_cpu_profile(), model).run(options))
    if (tap.forward == forward) return tap;
  throw std::runtime_error("no report of " + name);
}

std::string dataset_of(const TapReport& tap) {
  const bool tapped = !tap.name.starts_with("state/") && tap.name != "logits";
  return "/forward/" + tap.forward + (tapped ? "/taps/" : "/") + tap.name;
}

bool same_place(const TapReport::Worst& a, const TapReport::Worst& b) {
  return a.batch == b.batch && a.token == b.token && a.column == b.column;
}

/// Moves a tap's worst element `bounds` bounds away from ours, and replays the tap.
TapReport moved(const EditedCapture& edited, const ReplayModel& model, const TapReport& tap, double bounds) {
  std::vector<float> original;
  edited.change_floats(dataset_of(tap), [&](std::vector<float>& numbers) {
    original = numbers;
    for (float& number : numbers) {
      if (number != static_cast<float>(tap.worst.recorded)) continue;
      number = static_cast<float>(tap.worst.ours + bounds * tap.worst.bound);
      if (tap.worst.bound == 0) number = std::nextafter(number, HUGE_VALF);
      break;
    }
  });
  const TapReport result = replay_of(edited.path(), model, tap.forward, tap.name);
  edited.change_floats(dataset_of(tap), [&](std::vector<float>& numbers) { numbers = original; });
  return result;
}

/// One tap of each kind of operation, in the second call, which stands over a cache. The mask is left out: a
/// small change does not make an attended token of a masked one.
std::vector<TapReport> one_of_each(const EditedCapture& capture, const ReplayModel& model) {
  std::vector<TapReport> chosen;
  for (const TapReport& tap :
       TeacherForcedReplay(ModelCapture(capture.path()), hf_cpu_profile(), model).run()) {
    const bool seen =
        std::ranges::any_of(chosen, [&](const TapReport& other) { return other.operation == tap.operation; });
    if (tap.forward == "0001" && tap.dtype == DType::float32 && !seen && tap.worst.recorded != 0 &&
        tap.operation != "indexer.mask")
      chosen.push_back(tap);
  }
  return chosen;
}

TEST(Tampering, IsFoundInEveryOperationJustBeyondTheBoundAndNotJustWithin) {
  const EditedCapture edited(kGolden);
  // Two calls show every operation; each replay opens all datasets of those there are.
  const std::vector<ModelCapture::Forward> forwards = ModelCapture(edited.path()).forwards();
  for (const ModelCapture::Forward& forward : forwards)
    if (forward.name > "0001") edited.drop_dataset("/forward/" + forward.name);
  const ReplayModel model = load_replay_model(ModelCapture(edited.path()));
  const std::vector<TapReport> taps = one_of_each(edited, model);
  EXPECT_GE(taps.size(), 22u);
  for (const TapReport& tap : taps) {
    SCOPED_TRACE(tap.operation + " at " + tap.name);
    const TapReport beyond = moved(edited, model, tap, 2.5);
    EXPECT_EQ(beyond.beyond_bound, 1);
    EXPECT_TRUE(same_place(beyond.worst, tap.worst));
    if (tap.worst.bound > 0) {
      EXPECT_EQ(moved(edited, model, tap, 0.5).beyond_bound, 0);
    }
  }
}

struct Place {
  const char* dataset;
  const char* operation;
};

class FirstDivergence : public testing::TestWithParam<Place> {};

TEST_P(FirstDivergence, NamesTheTamperedTapAndNotWhatReadsIt) {
  const EditedCapture edited(kGolden);
  edited.change_floats(std::string("/forward/0001/taps/") + GetParam().dataset,
                       [](std::vector<float>& numbers) { numbers[5] += 0.25F; });
  ReplayRequest request;
  request.options.stop_at_first = true;
  const ReplayReport report = replay_capture(edited.path(), request);
  EXPECT_EQ(report.status, Status::fail);
  ASSERT_NE(report.first_divergence(), nullptr);
  EXPECT_EQ(report.first_divergence()->name, GetParam().dataset);
  EXPECT_EQ(report.first_divergence()->operation, GetParam().operation);
  EXPECT_EQ(report.first_divergence()->forward, "0001");
  EXPECT_EQ(report.first_divergence()->worst.token, 0);
  EXPECT_EQ(report.first_divergence()->worst.column, 5);
  EXPECT_EQ(&report.taps.back(), report.first_divergence());
}

INSTANTIATE_TEST_SUITE_P(Taps, FirstDivergence,
                         testing::Values(Place{"model.layers.0/in", "embedding"},
                                         Place{"model.layers.2/in", "handed_over"},
                                         Place{"model.layers.1.ple/out", "ple.out"},
                                         Place{"model.layers.0.linear_attn.norm/in", "delta_net.recurrence"},
                                         Place{"model.layers.3.self_attn/out", "attention.out"},
                                         Place{"model.layers.2.mlp.experts/out", "experts"},
                                         Place{"model.layers.3/out", "gated_residual.streams"}),
                         [](const auto& test) {
                           std::string name = test.param.operation;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(ReplayCapture, FailsWhereALessProbableExpertWasChosen) {
  const EditedCapture edited(kGolden);
  edited.change_integers("/forward/0001/taps/model.layers.2.mlp.gate/out.2",
                         [](std::vector<std::int64_t>& experts) { std::swap(experts[0], experts[1]); });
  const ReplayReport report = replay_capture(edited.path(), {});
  ASSERT_NE(report.first_divergence(), nullptr);
  EXPECT_EQ(report.first_divergence()->name, "model.layers.2.mlp.gate/out.2");
  EXPECT_EQ(report.first_divergence()->beyond_bound, 2);
}

TEST(ReplayCapture, FailsWhereAnAttendedTokenIsMasked) {
  const EditedCapture edited(kGolden);
  edited.change_floats("/forward/0001/taps/model.layers.3.self_attn.indexer/out",
                       [](std::vector<float>& mask) { mask[0] = -1e30F; });
  const ReplayReport report = replay_capture(edited.path(), {});
  ASSERT_NE(report.first_divergence(), nullptr);
  EXPECT_EQ(report.first_divergence()->operation, "indexer.mask");
  EXPECT_EQ(report.first_divergence()->beyond_bound, 1);
}

// transformers 5.24 keeps a bool for each token where 5.17 keeps what it adds.
TEST(ReplayCapture, FailsWhereAnAttendedTokenIsFalse) {
  const EditedCapture edited("epsilon_fp32");
  EXPECT_EQ(replay_capture(edited.path(), {}).status, Status::pass);
  edited.change_integers("/forward/0001/taps/model.layers.3.self_attn.indexer/out",
                         [](std::vector<std::int64_t>& mask) { mask[64] = 0; });
  const ReplayReport report = replay_capture(edited.path(), {});
  ASSERT_NE(report.first_divergence(), nullptr);
  EXPECT_EQ(report.first_divergence()->operation, "indexer.mask");
  EXPECT_EQ(report.first_divergence()->beyond_bound, 1);
}

TEST(ReplayCapture, RefusesAnExpertThatIsNotThere) {
  const EditedCapture edited(kGolden);
  edited.change_integers("/forward/0001/taps/model.layers.2.mlp.gate/out.2",
                         [](std::vector<std::int64_t>& experts) { experts[1] = 1 << 30; });
  EXPECT_THROW(replay_capture(edited.path(), {}), InputError);
}

TEST(ReplayCapture, WithoutTapsIsVacuous) {
  const EditedCapture edited(kGolden);
  const std::vector<ModelCapture::Forward> forwards = ModelCapture(edited.path()).forwards();
  for (const ModelCapture::Forward& forward : forwards) {
    for (const char* group : {"/taps", "/state"}) edited.drop_dataset("/forward/" + forward.name + group);
  }
  const ReplayReport report = replay_capture(edited.path(), {});
  EXPECT_EQ(report.status, Status::vacuous);
  EXPECT_TRUE(report.taps.empty());
  EXPECT_FALSE(report.without_inputs.empty());  // logits, without what the head reads
}

TEST(ReplayCapture, LeavesOutAndListsATapWhoseInputIsMissing) {
  const EditedCapture edited(kGolden);
  edited.drop_dataset("/forward/0000/taps/model.layers.0.linear_attn.norm/out");
  const ReplayReport report = replay_capture(edited.path(), {});
  EXPECT_EQ(report.status, Status::pass) << report.reason;
  EXPECT_EQ(report.without_inputs, std::vector<std::string>{"0000 model.layers.0.linear_attn/out"});
}

TEST(ReplayCapture, RefusesAnotherKindAnUnknownProfileAndALayerThatIsNotThere) {
  ReplayRequest unknown, outside;
  unknown.profile = "hf";
  outside.options.layer = 4;
  EXPECT_THROW(replay_capture(golden_path("select_long_fp16"), {}), InputError);
  EXPECT_THROW(replay_capture(golden_path(kGolden), unknown), InputError);
  EXPECT_THROW(replay_capture(golden_path(kGolden), outside), InputError);
}

TEST(ReplayCapture, TakesTheProfileFromTheProducerAndSaysWhy) {
  ReplayRequest request;
  request.options.layer = 0;
  request.options.stop_at_first = true;
  const ReplayReport cpu = replay_capture(golden_path(kGolden), request);
  const ReplayReport cuda = replay_capture(golden_path("tiny_bf16"), request);
  EXPECT_EQ(cpu.profile, "hf_cpu");
  EXPECT_EQ(cuda.profile, "hf_cuda");
  EXPECT_NE(cuda.profile_reason.find("producer"), std::string::npos);
}

}  // namespace
}  // namespace plumbline

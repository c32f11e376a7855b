#include "oracle/run/device_replay.h"

#include "fixtures/small_float.h"
#include "oracle/run/golden_checks.h"
#include "reference/model/score_scale.h"
#include "reference/numeric/exact_dot.h"
#include "tests/oracle/run/stand_in.h"
#include "tests/oracle/run/stand_in_indexer.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Fault = IndexerFault;

/// The exact scores, rounded, in place of what a device computes; the reference's selection on them.
class ScoringSubject final : public SelectSubject {
 public:
  explicit ScoringSubject(SpoiltSubject::SpoilPaged spoil = {}) : spoil_(std::move(spoil)) {}
  std::string name() const override { return "stand-in"; }
  SelectOutputs select(const SelectInputs& inputs) override { return reference_.select(inputs); }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    PagedSelectOutputs outputs = reference_.select_paged(inputs);
    const std::int64_t rows = inputs.index_query.extent(0), dim = inputs.geometry.index_head_dim;
    const std::int64_t columns = inputs.page_table.extent(1) * inputs.index_key_cache.extent(1);
    outputs.block_scores = Tensor(DType::float32, {rows, columns});
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t position = integer_at(inputs.query_positions, row);
      for (std::int64_t block = 0; block < (position + 1) / inputs.geometry.compress_ratio; ++block) {
        TensorView query = inputs.index_query, key = inputs.index_key_cache;
        query.data = query.at(row);
        query.shape = {inputs.geometry.index_heads, dim};
        query.strides = {dim, 1};
        const std::int64_t size = inputs.index_key_cache.extent(1);
        const std::int64_t page =
            integer_at(inputs.page_table, integer_at(inputs.token_to_request, row), block / size);
        key.data = key.at(page, block % size);
        key.shape = {dim};
        key.strides = {1};
        outputs.block_scores->as<float>()[static_cast<std::size_t>(row * columns + block)] =
            scaled_score(exact_relu_sum(query, key).to_float(), hf_cuda_profile().score_scale, dim);
      }
    }
    if (spoil_) spoil_(inputs, outputs);
    return outputs;
  }

 private:
  SpoiltSubject::SpoilPaged spoil_;
  ReferenceSubject reference_;
};

DeviceSubjects device(Fault fault = Fault::none, SpoiltSubject::SpoilPaged spoil = {}) {
  DeviceSubjects subjects = stand_in_device([spoil] { return std::make_shared<ScoringSubject>(spoil); });
  subjects.indexer = [fault] { return std::make_shared<StandInIndexer>(fault); };
  return subjects;
}

DeviceReplay replayed(const std::string& golden, const DeviceSubjects& subjects,
                      const std::string& tap = "") {
  ReplayRequest request;
  if (!tap.empty())
    request.options.wanted = [tap](const std::string& name) { return name.find(tap) != std::string::npos; };
  return replay_on_device(default_fixtures() + "/" + golden + ".h5", subjects, request);
}

std::vector<std::string> operations(const ReplayReport& replay) {
  std::vector<std::string> names;
  for (const TapReport& tap : replay.taps)
    if (tap.elements > 0 && std::ranges::find(names, tap.operation) == names.end())
      names.push_back(tap.operation);
  return names;
}

TEST(DeviceReplay, JudgesEveryTapThatKernelsCompute) {
  for (const char* golden : {"tiny_bf16", "tiny_fp16", "padded_cuda_fp16", "shapes_cuda_bf16", "tiny_mrope",
                             "index128_cpu_fp16"}) {
    const ReplayReport replay = replayed(golden, device()).replay;
    EXPECT_EQ(replay.status, Status::pass) << golden << ": " << replay.reason;
    EXPECT_EQ(operations(replay),
              (std::vector<std::string>{"indexer.projection", "indexer.query_norm", "indexer.queries",
                                        "indexer.keys", "indexer.raw_keys", "indexer.scores stand-in",
                                        "indexer.blocks stand-in", "indexer.tokens stand-in"}))
        << golden;
    for (const TapReport& tap : replay.taps) {
      const bool recorded = tap.operation != "indexer.queries" && tap.operation != "indexer.keys";
      if (tap.elements > 0) {
        EXPECT_EQ(tap.against_recorded.has_value(), recorded) << golden << " " << tap.name;
      }
    }
  }
}

TEST(DeviceReplay, NamesTheTapsNoKernelComputes) {
  const ReplayReport replay = replayed("tiny_bf16", device()).replay;
  const auto names = [&](const std::string& name) {
    return std::ranges::any_of(replay.unsupported,
                               [&](const UnsupportedTap& tap) { return tap.name == name; });
  };
  EXPECT_TRUE(names("model.layers.0.mlp/out"));
  EXPECT_TRUE(names("logits"));
  EXPECT_FALSE(names("model.layers.3.self_attn.indexer.index_qk_proj/out"));
  EXPECT_FALSE(names("selection/blocks"));
}

TEST(DeviceReplay, IsUnsupportedWhereNothingIsComputed) {
  EXPECT_EQ(replayed("tiny_bf16", device(), "mlp").replay.status, Status::unsupported);
  EXPECT_EQ(replayed("tiny_bf16", device(Fault::refuses), "queries").replay.status, Status::unsupported);
}

TEST(DeviceReplay, IsNotExecutedWithoutADevice) {
  DeviceSubjects none;
  none.reason = "no device";
  const ReplayReport replay = replayed("tiny_bf16", none).replay;
  EXPECT_EQ(replay.status, Status::not_executed);
  EXPECT_EQ(replay.reason, "no device");
}

TEST(DeviceReplay, TakesTheTapsThatAreAskedFor) {
  const ReplayReport replay = replayed("tiny_bf16", device(), "index_qk_proj").replay;
  EXPECT_EQ(operations(replay), (std::vector<std::string>{"indexer.projection"}));
  EXPECT_TRUE(replay.unsupported.empty());
}

TEST(DeviceReplay, FailsTheOperationThatIsWrong) {
  const std::pair<Fault, std::string> faults[] = {{Fault::projects_twice, "indexer.projection"},
                                                  {Fault::no_norm, "indexer.query_norm"},
                                                  {Fault::last_members_place, "indexer.keys"}};
  for (const auto& [fault, operation] : faults) {
    const ReplayReport replay = replayed("tiny_fp16", device(fault)).replay;
    EXPECT_EQ(replay.status, Status::fail);
    ASSERT_NE(replay.first_divergence(), nullptr) << operation;
    EXPECT_EQ(replay.first_divergence()->operation, operation);
  }
}

TEST(DeviceReplay, FailsAScoreABlockAndATokenThatAreWrong) {
  const auto first_of = [](SpoiltSubject::SpoilPaged spoil) {
    const ReplayReport replay = replayed("tiny_fp16", device(Fault::none, std::move(spoil))).replay;
    EXPECT_EQ(replay.status, Status::fail);
    return replay.first_divergence() == nullptr ? "" : replay.first_divergence()->operation;
  };
  EXPECT_EQ(first_of([](const PagedSelectInputs&, PagedSelectOutputs& outputs) {
              for (float& score : outputs.block_scores->as<float>()) score = score * 1.01F + 0.01F;
            }),
            "indexer.scores stand-in");
  EXPECT_EQ(first_of([](const PagedSelectInputs&, PagedSelectOutputs& outputs) {
              const auto blocks = outputs.selected_blocks->as<std::int32_t>();
              const auto last = std::ssize(blocks) - outputs.selected_blocks->extent(1);
              std::swap(blocks[static_cast<std::size_t>(last)], blocks[static_cast<std::size_t>(last + 1)]);
            }),
            "indexer.blocks stand-in");
  EXPECT_EQ(first_of([](const PagedSelectInputs&, PagedSelectOutputs& outputs) {
              ++outputs.selected_tokens.as<std::int32_t>()[0];
            }),
            "indexer.tokens stand-in");
}

TEST(DeviceReplay, SelectsOnTheRecordedScoresWhereARouteTakesGivenOnes) {
  DeviceSubjects subjects = device();
  subjects.routes.front().on_given_scores = true;
  const ReplayReport replay = replayed("tiny_fp16", subjects, "selection").replay;
  EXPECT_EQ(operations(replay), (std::vector<std::string>{"indexer.blocks stand-in"}));
  EXPECT_EQ(replay.status, Status::pass) << replay.reason;
  for (const TapReport& tap : replay.taps) {
    ASSERT_TRUE(tap.against_recorded);
    EXPECT_EQ(tap.against_recorded->elements, tap.elements);
  }
}

TEST(DeviceReplay, ARouteThatDoesNotPromiseTheCanonicalSelectionIsNotAsked) {
  DeviceSubjects subjects = device();
  subjects.routes.front().contract = Contract::set_exact;
  EXPECT_EQ(replayed("tiny_fp16", subjects, "selection/").replay.status, Status::unsupported);
  EXPECT_THROW(replay_on_device(default_fixtures() + "/tiny_fp16.h5", subjects, {}, "stand-in"), InputError);
  EXPECT_THROW(replay_on_device(default_fixtures() + "/tiny_fp16.h5", subjects, {}, "other"), InputError);
}

TEST(DeviceReplay, MissesLaunchesThatNobodySaw) {
  DeviceSubjects subjects = device();
  const auto tracer = std::make_shared<StandInTracer>();
  tracer->change = [](dispatch::CallTrace& seen) {
    seen.tags->clear();
    seen.records->clear();
  };
  subjects.tracer = tracer;
  const DeviceReplay result = replayed("tiny_fp16", subjects, "indexer.queries");
  EXPECT_EQ(result.replay.status, Status::route_missed) << result.replay.reason;
  EXPECT_EQ(result.routes->calls, tracer->begun);
}

}  // namespace
}  // namespace plumbline

#include "oracle/run/variation_trial.h"

#include "fixtures/cases/generate.h"
#include "oracle/run/row_batch.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/select_views.h"
#include "tests/oracle/run/stand_in.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const char* const kCase = "select:topk=64,blocks=200,data=relu";

/// One stand-in route, varied on one case.
class Variation : public ::testing::Test {
 protected:
  CheckResult judged(const char* text = kCase) {
    DeviceSubjects device = stand_in_device([this] { return std::make_shared<SpoiltSubject>(spoil_); });
    device.routes[0].library_scores = library_scores_;
    device.routes[0].variants = {
        {"graph_replay", [this] { return std::make_shared<SpoiltSubject>(spoil_variant_, spoil_paged_); },
         1}};
    CheckResult check;
    VariationTrial(device, device.routes[0], 0).judge(parse_case(text), check);
    return check;
  }
  static const VariationReport& named(const CheckResult& check, const std::string& name) {
    return *std::ranges::find_if(check.variations, [&](const auto& one) { return one.name == name; });
  }
  /// Answers with scores, and moves the first one of a row that is asked for alone.
  static SpoiltSubject::Spoil moved(const std::function<float(float)>& move) {
    return [move](const SelectInputs& inputs, SelectOutputs& outputs) {
      outputs.scores = scores_of(inputs);
      float& score = outputs.scores->as<float>()[0];
      if (inputs.rows == 1) score = move(score);
    };
  }
  static Tensor scores_of(const SelectInputs& inputs) {
    Tensor scores(DType::float32, {inputs.rows, inputs.blocks});
    for (std::int64_t row = 0; row < inputs.rows; ++row)
      for (std::int64_t block = 0; block < visible_count(inputs, row); ++block)
        scores.as<float>()[static_cast<std::size_t>(row * inputs.blocks + block)] =
            exact_relu_sum(query_of(inputs, row), key_of(inputs, block)).to_float() / std::sqrt(128.0f);
    return scores;
  }
  static float next(float score) { return std::nextafter(score, INFINITY); }

  bool library_scores_ = false;
  SpoiltSubject::Spoil spoil_, spoil_variant_;
  SpoiltSubject::SpoilPaged spoil_paged_;
};

TEST_F(Variation, PassesARouteThatDoesNotLookAtItsNeighbours) {
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::pass) << check.reason;
  for (const char* name : {"alone", "batches", "beside_longer", "graph_replay"}) {
    const VariationReport& one = named(check, name);
    EXPECT_GT(one.rows_selecting, 0) << name;
    EXPECT_EQ(one.rows_changed + one.rows_rescored, 0) << name;
  }
  EXPECT_EQ(named(check, "batches").calls, 13);
}

TEST_F(Variation, FailsASelectionThatDependsOnTheBatch) {
  spoil_ = [](const SelectInputs& inputs, SelectOutputs& outputs) {
    const auto blocks = outputs.blocks.as<std::int32_t>();
    if (inputs.rows == 17) std::swap(blocks[0], blocks[1]);
  };
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(check.reason, "batches: 1 of 288 rows select other blocks from the same scores");
}

TEST_F(Variation, FailsASelectionThatALongerNeighbourChanges) {
  spoil_ = [](const SelectInputs& inputs, SelectOutputs& outputs) {
    if (inputs.rows != 8) return;
    const auto row = outputs.blocks.as<std::int32_t>().subspan(3 * 64, 64);
    std::swap(row[0], row[1]);
  };
  const CheckResult check = judged("select:topk=64,blocks=900,data=length_edges");
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(named(check, "beside_longer").rows_changed, 1);
}

TEST_F(Variation, FailsScoresThatMoveWhereNoLibraryMakesThem) {
  spoil_ = moved(next);
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(check.reason, "alone: 5 scores moved further than their error bounds, or may not move");
}

TEST_F(Variation, TakesALibrarysScoresWithinTheirBoundsAndNamesTheKernel) {
  library_scores_ = true;
  spoil_ = moved(next);
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::pass) << check.reason;
  const VariationReport& alone = named(check, "alone");
  EXPECT_EQ(alone.rows_rescored, 5);
  EXPECT_EQ(alone.scores_beyond, 0);
  EXPECT_GT(alone.largest_share, 0);
  EXPECT_LT(alone.largest_share, 1);
  ASSERT_EQ(alone.kernels.size(), 1u);
  EXPECT_EQ(alone.kernels[0].substr(0, 8), "1 rows: ");
}

TEST_F(Variation, FailsALibrarysScoreBeyondItsBounds) {
  library_scores_ = true;
  spoil_ = moved([](float score) { return score + 1; });
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(named(check, "alone").scores_beyond, 5);
}

TEST_F(Variation, FailsASelectionThatBreaksItsContractOnMovedScores) {
  library_scores_ = true;
  spoil_ = [](const SelectInputs& inputs, SelectOutputs& outputs) {
    moved(next)(inputs, outputs);
    if (inputs.rows == 1) outputs.blocks.as<std::int32_t>()[1] = outputs.blocks.as<std::int32_t>()[0];
  };
  EXPECT_EQ(judged().status, Status::fail);
}

TEST_F(Variation, FailsAVariantThatAnswersOtherwise) {
  spoil_variant_ = [](const SelectInputs&, SelectOutputs& outputs) {
    const auto blocks = outputs.blocks.as<std::int32_t>();
    std::swap(blocks[0], blocks[1]);
  };
  const CheckResult check = judged();
  EXPECT_EQ(check.status, Status::fail);
  EXPECT_EQ(check.reason, "graph_replay: 1 of 64 rows select other blocks from the same scores");
}

TEST_F(Variation, FailsAVariantOfAPagedStepThatAnswersOtherwise) {
  const char* const paged = "paged:topk=64,blocks=400,requests=4,data=relu";
  EXPECT_EQ(judged(paged).status, Status::pass);
  spoil_paged_ = [](const PagedSelectInputs&, PagedSelectOutputs& outputs) {
    outputs.selected_tokens.as<std::int32_t>()[0] += 1;
  };
  EXPECT_EQ(judged(paged).status, Status::fail);
}

TEST_F(Variation, IsVacuousWhereNoRowSelects) {
  EXPECT_EQ(judged("select:topk=64,blocks=60,data=relu").status, Status::vacuous);
}

TEST(RowChoices, AskForRowsAloneInBatchesAndBesideTheLongest) {
  const GeneratedSelect generated =
      generate_select(parse_case("select:topk=64,blocks=900,data=length_edges"));
  const SelectInputs inputs = generated.inputs();
  std::set<std::size_t> sizes;
  for (const RowChoice& choice : row_choices(inputs)) {
    for (const std::int64_t row : choice.rows) ASSERT_TRUE(row >= 0 && row < inputs.rows);
    if (choice.name == "batches") sizes.insert(choice.rows.size());
    if (choice.name == "alone") {
      EXPECT_EQ(choice.rows.size(), 1u);
    }
    if (choice.name != "beside_longer") continue;
    std::set<std::int64_t> lengths;
    for (const std::int64_t row : choice.rows) lengths.insert(visible_count(inputs, row));
    EXPECT_EQ(*lengths.rbegin(), 900);
    EXPECT_GT(*lengths.begin(), 64);
    EXPECT_LT(*lengths.begin(), 900);
  }
  EXPECT_TRUE(sizes.contains(2) && sizes.contains(64));
}

TEST(RowBatch, HoldsTheRowsOfAnyLayout) {
  const GeneratedSelect generated = generate_select(parse_case("select:topk=64,blocks=907,data=stride"));
  const SelectInputs whole = generated.inputs();
  const RowBatch batch(whole, {5, 0, 5});
  const SelectInputs part = batch.inputs();
  ASSERT_EQ(part.rows, 3);
  ReferenceSubject reference;
  const SelectOutputs all = reference.select(whole), some = reference.select(part);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row =
        all.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(batch.rows()[i]) * 64, 64);
    EXPECT_TRUE(std::ranges::equal(row, some.blocks.as<std::int32_t>().subspan(i * 64, 64))) << i;
  }
}

}  // namespace
}  // namespace plumbline

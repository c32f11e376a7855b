#include "oracle/judge/judge_attention.h"

#include "reference/numeric/ulp.h"
#include "tests/oracle/judge/split_attention.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

const AttentionFamily kSmall{
    .name = "small", .rows = 6, .heads = 4, .key_value_heads = 2, .dim = 64, .selected = 40, .page_size = 4};

AttentionErrorModel float32_model(const AttentionCase& data) {
  return device_attention_model(data.query.dtype, std::nullopt);
}

AttentionReport judged(const AttentionCase& data, const AttentionOutputs& outputs) {
  return judge_attention(data.inputs(), outputs, float32_model(data));
}

class PlantedFault : public ::testing::TestWithParam<SplitFault> {};

TEST_P(PlantedFault, FailsOnEveryFamilyItTouches) {
  for (const AttentionData data :
       {AttentionData::random, AttentionData::same_sign, AttentionData::empty_rows}) {
    AttentionFamily family = kSmall;
    family.data = data;
    family.float8 = true;
    const AttentionCase made = make_attention_case(family, 1);
    ASSERT_EQ(judged(made, split_attention(made, 3)).status, Status::pass);
    EXPECT_EQ(judged(made, split_attention(made, 3, GetParam())).status, Status::fail) << text_of(family, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Splits, PlantedFault,
                         ::testing::Values(SplitFault::partial_dropped, SplitFault::partial_doubled,
                                           SplitFault::lse_in_base_2, SplitFault::merged_in_base_e,
                                           SplitFault::gate_before_rounding, SplitFault::padding_is_token_0,
                                           SplitFault::scales_swapped));

RC_GTEST_PROP(JudgeAttention, SplitsOfEveryCountStayWithinTheBound, ()) {
  AttentionFamily family = kSmall;
  family.storage = *rc::gen::element(DType::float16, DType::bfloat16);
  family.data =
      *rc::gen::element(AttentionData::random, AttentionData::same_sign, AttentionData::wide_scores,
                        AttentionData::tied_maxima, AttentionData::one_token, AttentionData::bad_pages);
  family.rows = 2;
  family.selected = *rc::gen::inRange<std::int64_t>(1, 60);
  family.float8 = *rc::gen::arbitrary<bool>();
  const AttentionCase made = make_attention_case(family, *rc::gen::inRange<std::uint64_t>(0, 1 << 20));
  const AttentionReport report = judged(made, split_attention(made, *rc::gen::inRange<std::int64_t>(1, 65)));
  for (const std::string& witness : report.witnesses) RC_LOG() << witness << "\n";
  RC_ASSERT(report.status == Status::pass);
}

RC_GTEST_PROP(JudgeAttention, TheReferenceUnderAProfileStaysWithinThatProfilesBound, ()) {
  AttentionFamily family = kSmall;
  family.storage = *rc::gen::element(DType::float16, DType::bfloat16);
  family.data =
      *rc::gen::element(AttentionData::random, AttentionData::wide_scores, AttentionData::tied_maxima);
  family.rows = 2;
  const auto number = *rc::gen::inRange<std::size_t>(0, rounding_profiles().size());
  const RoundingProfile& profile = rounding_profiles()[number];
  const AttentionCase made = make_attention_case(family, *rc::gen::inRange<std::uint64_t>(0, 1 << 20));
  const AttentionReport report =
      judge_attention(made.inputs(), paged_attention(made.inputs(), profile),
                      attention_error_model(profile, family.storage, std::nullopt));
  for (const std::string& witness : report.witnesses) RC_LOG() << witness << "\n";
  RC_ASSERT(report.status == Status::pass);
}

TEST(JudgeAttention, NothingToAttendToIsVacuous) {
  AttentionFamily family = kSmall;
  family.data = AttentionData::nothing;
  AttentionCase made = make_attention_case(family, 1);
  made.token_to_request.as<std::int32_t>()[0] = -1;  // the only row with tokens
  EXPECT_EQ(judged(made, split_attention(made, 2)).status, Status::vacuous);
}

TEST(JudgeAttention, ARowWithoutTokensMustBeZeroAndMinusInfinity) {
  AttentionFamily family = kSmall;
  family.data = AttentionData::empty_rows;
  const AttentionCase made = make_attention_case(family, 1);
  AttentionOutputs outputs = split_attention(made, 2);
  outputs.lse->as<float>()[4] = -1e20f;  // row 1 attends to nothing
  const AttentionReport report = judged(made, outputs);
  EXPECT_EQ(report.status, Status::fail);
  EXPECT_EQ(report.empty_rows_wrong, 1);
}

TEST(JudgeAttention, AnOutputThatWasNeverWrittenIsBeyondEveryBound) {
  const AttentionCase made = make_attention_case(kSmall, 1);
  AttentionOutputs outputs = split_attention(made, 2);
  outputs.output.as<std::uint16_t>()[7] = 0xFFFF;
  EXPECT_EQ(judged(made, outputs).output->beyond_bound, 1);
}

TEST(JudgeAttention, ARowThatReadsAnInfiniteKeyIsNotJudged) {
  AttentionCase made = make_attention_case(kSmall, 1);
  const AttentionOutputs outputs = split_attention(made, 2);
  made.query.as<std::uint16_t>()[0] = 0x7F80;
  EXPECT_EQ(judged(made, outputs).rows_not_finite, 1);
}

}  // namespace
}  // namespace plumbline

#include "oracle/run/answer_digest.h"

#include "oracle/run/attention_cases.h"
#include "reference/model/paged_attention.h"
#include "reference/model/rounding_profile.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class AnswersOfAttention : public ::testing::Test {
 protected:
  AttentionCase data_ = make_attention_case(attention_families().front(), 1);
  AttentionOutputs outputs_ = paged_attention(data_.inputs(), exact_profile());
  Answers first_ = answers_of(data_.inputs(), outputs_);
};

TEST_F(AnswersOfAttention, HaveScoresAndNoSelection) {
  EXPECT_EQ(first_.inputs.size(), 64u);
  EXPECT_EQ(first_.scores.size(), 64u);
  EXPECT_TRUE(first_.selection.empty());
  EXPECT_FALSE(first_.score_sample.empty());
  EXPECT_LE(first_.score_sample.size(), Answers::kSamples);
}

TEST_F(AnswersOfAttention, TellAChangeOfAnyPartApart) {
  outputs_.output.bytes.back() ^= std::byte{1};
  EXPECT_NE(answers_of(data_.inputs(), outputs_).scores, first_.scores);
  outputs_.output.bytes.back() ^= std::byte{1};
  outputs_.lse->bytes.back() ^= std::byte{1};
  EXPECT_NE(answers_of(data_.inputs(), outputs_).scores, first_.scores);
  AttentionInputs inputs = data_.inputs();
  inputs.v_scale = 2;
  EXPECT_NE(answers_of(inputs, outputs_).inputs, first_.inputs);
  EXPECT_EQ(answers_of(data_.inputs(), outputs_).inputs, first_.inputs);
}

}  // namespace
}  // namespace plumbline

#include "reference/model/paged_attention.h"

#include "fixtures/small_float.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// Two heads of two numbers over one key/value head; pages of two tokens.
struct Problem {
  Tensor query{DType::bfloat16, {1, 2, 2}}, keys{DType::bfloat16, {3, 2, 1, 2}},
      values{DType::bfloat16, {3, 2, 1, 2}};
  Tensor tokens, table{DType::int32, {1, 3}}, request{DType::int32, {1}};

  explicit Problem(const std::vector<std::int32_t>& list) : tokens(DType::int32, {1, std::ssize(list)}) {
    std::ranges::copy(list, tokens.as<std::int32_t>().begin());
    std::ranges::copy(std::vector<std::int32_t>{2, -1, 0}, table.as<std::int32_t>().begin());
    fill(query, {1, 2, -1, 0.5});
    fill(keys, {1, 0, 0, 1, 9, 9, 9, 9, 2, -1, 0.5, 3});
    fill(values, {1, 2, 3, 4, 9, 9, 9, 9, 5, 6, 7, 8});
  }
  static void fill(Tensor& tensor, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      encode_element(tensor.dtype, numbers[i], tensor.bytes.data() + 2 * i);
  }
  AttentionInputs inputs() const {
    AttentionInputs inputs;
    inputs.query = query.view();
    inputs.key_cache = keys.view();
    inputs.value_cache = values.view();
    inputs.selected_tokens = tokens.view();
    inputs.page_table = table.view();
    inputs.token_to_request = request.view();
    inputs.softmax_scale = 0.5;
    return inputs;
  }
  AttentionOutputs answer() const { return paged_attention(inputs(), exact_profile()); }
};

double number(const Tensor& tensor, std::size_t at) {
  return decode_element(tensor.dtype, tensor.bytes.data() + at * size_of(tensor.dtype));
}

TEST(PagedAttention, FollowsThePageTableOfItsRequest) {
  const AttentionOutputs outputs = Problem({1, 4}).answer();  // page 2 slot 1, page 0 slot 0
  // Head 0: scores ½·(0.5 + 6) and ½·1.
  const double a = std::exp(3.25), b = std::exp(0.5);
  EXPECT_EQ(number(outputs.output, 0), round_to(DType::bfloat16, (7 * a + b) / (a + b)));
  EXPECT_EQ(number(outputs.output, 1), round_to(DType::bfloat16, (8 * a + 2 * b) / (a + b)));
  EXPECT_FLOAT_EQ(outputs.lse->as<float>()[0], static_cast<float>(std::log(a + b)));
}

TEST(PagedAttention, TokensThatPointNowhereContributeNothing) {
  const AttentionOutputs expected = Problem({1, 4}).answer();
  // Padding, an unmapped page, a token behind the table, a negative one.
  const AttentionOutputs outputs = Problem({-1, 1, 2, 6, 1000000, 4, -7}).answer();
  EXPECT_EQ(outputs.output.bytes, expected.output.bytes);
  EXPECT_EQ(outputs.lse->bytes, expected.lse->bytes);
}

TEST(PagedAttention, AnEmptyRowIsZeroWithMinusInfinity) {
  const AttentionOutputs outputs = Problem({-1, 3, -1}).answer();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(number(outputs.output, i), 0);
  EXPECT_EQ(outputs.lse->as<float>()[1], -std::numeric_limits<float>::infinity());
}

TEST(PagedAttention, ARowOfNoRequestIsEmpty) {
  Problem problem({0, 1});
  problem.request.as<std::int32_t>()[0] = 1;
  EXPECT_EQ(number(problem.answer().output, 0), 0);
}

TEST(PagedAttention, OneTokenGivesItsValueAndScore) {
  const AttentionOutputs outputs = Problem({0}).answer();
  EXPECT_EQ(number(outputs.output, 2), 5);
  EXPECT_EQ(outputs.lse->as<float>()[0], 0.0f);    // ½·(2 − 2)
  EXPECT_EQ(outputs.lse->as<float>()[1], -1.25f);  // ½·(−2 − ½)
}

TEST(PagedAttention, ScalesOfKeyAndValueAreAppliedWhereTheyBelong) {
  const Problem problem({0});
  AttentionInputs inputs = problem.inputs();
  inputs.k_scale = 4;
  inputs.v_scale = 2;
  const AttentionOutputs outputs = paged_attention(inputs, exact_profile());
  EXPECT_EQ(number(outputs.output, 0), 10);
  EXPECT_EQ(outputs.lse->as<float>()[1], -5.0f);
}

}  // namespace
}  // namespace plumbline

#include "oracle/judge/judge_tokens.h"

#include "fixtures/capture/paged_capture.h"
#include "fixtures/error.h"

#include <algorithm>
#include <limits>
#include <map>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Row = std::vector<std::int32_t>;

/// Two requests of 23 and 9 tokens in blocks of 3, pages of 2 keys, two blocks selected. Keys are single
/// numbers and every query is 1, so a block's score is its key: request 0 has 5 1 (unmapped: pages of blocks
/// 2, 3) 4 5 2, request 1 has 7 7 0. Rows: request 0 at 22 (7 blocks, open group of 2), at 20 (7, none), at 4
/// (1, 2); request 1 at 8 (3, none), at 1 (0, 2); one padded row.
class Paged {
 public:
  Paged() {
    geometry_ = {1, 1, 3, 2};
    set(query_, DType::float32, {6, 1, 1}, std::vector<float>(6, 1.0f));
    set(cache_, DType::float32, {6, 2, 1, 1}, std::vector<float>{7, 7, 4, 5, 2, 9, 0, 8, 5, 1, 9, 9});
    set(table_, DType::int32, {2, 4}, Row{4, -1, 1, 2, 0, 3, -1, -1});
    set(request_, DType::int32, {6}, Row{0, 0, 0, 1, 1, -1});
    set(position_, DType::int64, {6}, std::vector<std::int64_t>{22, 20, 4, 8, 1, 5});
    set(length_, DType::int32, {2}, Row{23, 9});
    tokens = {
        Row{0, 1, 2, 15, 16, 17, 21, 22},  Row{0, 1, 2, 15, 16, 17, -1, -1},
        Row{0, 1, 2, 3, 4, -1, -1, -1},    Row{0, 1, 2, 3, 4, 5, -1, -1},
        Row{0, 1, -1, -1, -1, -1, -1, -1}, Row{-1, -1, -1, -1, -1, -1, -1, -1},
    };
    inputs_ = {geometry_,       query_.view(),    cache_.view(),  table_.view(),
               request_.view(), position_.view(), length_.view(), std::nullopt};
  }
  Paged(const Paged&) = delete;
  Paged& operator=(const Paged&) = delete;

  TokenReport judge() const {
    JudgeOptions options;
    options.threads = 1;  // small problems: a team of threads would cost more than it brings
    TokenClaim claim;
    claim.inputs = &inputs_;
    claim.selected_tokens = rows_of(tokens);
    if (!blocks.empty()) claim.selected_blocks = rows_of(blocks);
    if (!scores.empty()) {
      claim.block_scores = rows_of(scores);
      claim.score_blocks = static_cast<std::int64_t>(scores.front().size());
    }
    return judge_tokens(claim, options);
  }

  std::vector<Row> tokens, blocks;
  std::vector<std::vector<float>> scores;

 private:
  template <typename T>
  static void set(Tensor& tensor, DType type, Shape shape, const std::vector<T>& values) {
    tensor = Tensor(type, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.as<T>().begin());
  }
  template <typename T>
  static std::function<void(std::int64_t, std::int64_t, std::span<T>)> rows_of(
      const std::vector<std::vector<T>>& rows) {
    return [&rows](std::int64_t first, std::int64_t count, std::span<T> out) {
      auto place = out.begin();
      for (std::int64_t row = first; row < first + count; ++row) {
        place = std::copy(rows[static_cast<std::size_t>(row)].begin(),
                          rows[static_cast<std::size_t>(row)].end(), place);
      }
    };
  }

  SelectGeometry geometry_;
  Tensor query_, cache_, table_, request_, position_, length_;
  PagedSelectInputs inputs_;
};

VerdictCounts counts(std::array<std::int64_t, kVerdicts> rows) {
  VerdictCounts verdicts;
  verdicts.rows = rows;
  return verdicts;
}

TEST(JudgeTokens, TakesTheCanonicalExpansionOfEveryRow) {
  const Paged paged;
  const TokenReport report = paged.judge();
  EXPECT_EQ(report.tokens.rows, 6);
  EXPECT_EQ(report.padded_rows, 1);
  EXPECT_EQ(report.faults.total(), 0);
  EXPECT_FALSE(report.tokens.selector.has_value());
  ASSERT_TRUE(report.tokens.end_to_end.has_value());
  EXPECT_EQ(report.tokens.end_to_end->rows, counts({6, 0, 0, 0, 0, 0}).rows);
  EXPECT_EQ(report.tokens.status, Status::pass) << report.tokens.reason;
  EXPECT_EQ(report.tokens.census.rows_selecting, 3);
  EXPECT_EQ(report.tokens.tag, "tokens");
  EXPECT_FALSE(report.blocks.has_value());
}

TEST(JudgeTokens, FindsEveryChangeOfASingleTokenStructural) {
  Paged paged;
  for (std::size_t row = 0; row < paged.tokens.size(); ++row) {
    for (std::size_t slot = 0; slot < paged.tokens[row].size(); ++slot) {
      const std::int32_t right = paged.tokens[row][slot];
      for (const std::int32_t wrong :
           {-7, -1, 0, 1, 2, 3, 9, 15, 18, 21, 22, 23, 100, INT32_MIN, INT32_MAX}) {
        if (wrong == right) continue;
        paged.tokens[row][slot] = wrong;
        const TokenReport report = paged.judge();
        ASSERT_EQ((*report.tokens.end_to_end)[Verdict::structural], 1) << row << " " << slot << " " << wrong;
        ASSERT_EQ(report.faults.total(), 1);
        ASSERT_EQ(report.tokens.status, Status::fail);
        ASSERT_EQ(report.tokens.witnesses.size(), 1u);
        ASSERT_EQ(report.tokens.witnesses.front().row, static_cast<std::int64_t>(row));
      }
      paged.tokens[row][slot] = right;
    }
  }
}

struct Deviation {
  std::size_t row;
  Row tokens;
  const char* what;
  TokenFaults faults;
};

class TokenDeviation : public testing::TestWithParam<Deviation> {};

TEST_P(TokenDeviation, IsNamedInOneSentence) {
  Paged paged;
  paged.tokens[GetParam().row] = GetParam().tokens;
  const TokenReport report = paged.judge();
  ASSERT_EQ(report.tokens.witnesses.size(), 1u);
  EXPECT_EQ(report.tokens.witnesses.front().what, GetParam().what);
  EXPECT_EQ(report.faults.expansion, GetParam().faults.expansion);
  EXPECT_EQ(report.faults.tail, GetParam().faults.tail);
  EXPECT_EQ(report.faults.padding, GetParam().faults.padding);
}

INSTANTIATE_TEST_SUITE_P(
    EveryPart, TokenDeviation,
    testing::Values(
        Deviation{
            0, {0, 1, 2, 16, 17, 18, 21, 22}, "slot 3 holds token 16, where a block of 3 starts", {1, 0, 0}},
        Deviation{0,
                  {0, 1, 5, 15, 16, 17, 21, 22},
                  "slot 2 holds 5 inside block 0, where token 2 is due",
                  {1, 0, 0}},
        Deviation{0,
                  {0, 1, 2, 21, 22, -1, -1, -1},
                  "slot 5 holds -1 inside block 7, where token 23 is due",
                  {1, 0, 0}},
        Deviation{0,
                  {0, 1, 2, -1, -1, -1, 21, 22},
                  "slot 3 holds -1: 1 of the 2 due blocks are expanded",
                  {1, 0, 0}},
        Deviation{0,
                  {0, 1, 2, 0, 1, 2, 21, 22},
                  "the expanded blocks are wrong: slots 0 and 1 both hold block 0",
                  {1, 0, 0}},
        Deviation{0,
                  {0, 1, 2, 21, 22, 23, 21, 22},
                  "the expanded blocks are wrong: slot 1 holds 7, outside the 7 visible blocks",
                  {1, 0, 0}},
        Deviation{0,
                  {0, 1, 2, 15, 16, 17, -1, 22},
                  "slot 6 holds -1, where token 21 of the open group is due",
                  {0, 1, 0}},
        Deviation{4,
                  {-1, -1, -1, -1, -1, -1, 0, 1},
                  "slot 0 holds -1, where token 0 of the open group is due",
                  {0, 1, 0}},
        Deviation{1, {0, 1, 2, 15, 16, 17, 18, -1}, "slot 6 holds 18, where -1 is due", {0, 0, 1}},
        Deviation{5, {0, -1, -1, -1, -1, -1, -1, -1}, "slot 0 holds 0, where -1 is due", {0, 0, 1}}));

TEST(JudgeTokens, GivesRecoveredBlocksTheVerdictsOfASelection) {
  Paged paged;
  paged.tokens[0] = {15, 16, 17, 0, 1, 2, 21, 22};  // the set in another order
  paged.tokens[1] = {0, 1, 2, 6, 7, 8, -1, -1};     // block 2 lies behind an unmapped page
  paged.tokens[3] = {0, 1, 2, 6, 7, 8, -1, -1};     // block 2 scores 0, block 1 scores 7
  const TokenReport report = paged.judge();
  EXPECT_EQ(report.tokens.end_to_end->rows, counts({3, 1, 0, 0, 2, 0}).rows);
  ASSERT_EQ(report.tokens.witnesses.size(), 2u);
  EXPECT_EQ(report.tokens.witnesses[0].row, 1);
  EXPECT_EQ(report.tokens.witnesses[0].claimed_score, "-inf");
  EXPECT_EQ(report.tokens.witnesses[1].row, 3);
  EXPECT_EQ(report.tokens.witnesses[1].missed_block, 1);
}

TEST(JudgeTokens, JudgesRecordedScoresAndBlocksBesideTheTokens) {
  Paged paged;
  const float nan = std::numeric_limits<float>::quiet_NaN(), low = -std::numeric_limits<float>::infinity();
  const std::vector<float> first = {5, 1, low, low, 4, 5, 2, nan},
                           second = {7, 7, 0, nan, nan, nan, nan, nan};
  const std::vector<float> none(8, nan);
  paged.scores = {first, first, {5, nan, nan, nan, nan, nan, nan, nan}, second, none, none};
  paged.blocks = {{0, 5}, {5, 0}, {0, -1}, {1, 2}, {-1, -1}, {-1, 3}};
  const TokenReport report = paged.judge();
  ASSERT_TRUE(report.tokens.selector.has_value());
  EXPECT_EQ(report.tokens.selector->rows, counts({6, 0, 0, 0, 0, 0}).rows);
  EXPECT_EQ(report.tokens.scores_tag, "block_scores");
  ASSERT_TRUE(report.blocks.has_value());
  EXPECT_EQ(report.blocks->selector->rows, counts({3, 1, 0, 0, 1, 1}).rows);
  EXPECT_EQ(report.blocks->end_to_end->rows, counts({3, 1, 0, 0, 1, 1}).rows);
  EXPECT_EQ(report.blocks->status, Status::fail);
  EXPECT_EQ(report.blocks->tag, "blocks");
  EXPECT_EQ(report.blocks->witnesses.front().row, 5);

  for (std::vector<float>& row : paged.scores) row.resize(6);
  EXPECT_THROW(paged.judge(), InputError);
}

/// Recorded by torch.topk in order of score: 22 rows of whole blocks in another order, 3 rows padded or
/// short.
TEST(GoldenTokens, AreTheCanonicalSetsInTheOrderOfTheirScores) {
  for (const char* name : {"paged_fp16", "paged_bf16_ties"}) {
    const PagedSelectCapture capture =
        read_paged_capture(PLUMBLINE_SOURCE_DIR "/fixtures/golden/" + std::string(name) + ".h5");
    ASSERT_FALSE(capture.cases.empty());
    for (const PagedSelectCase& one : capture.cases) {
      const PagedSelectInputs inputs = one.inputs(capture.geometry);
      TokenClaim claim;
      claim.inputs = &inputs;
      const auto rows_of = [](const RowStream& stream) {
        return [&stream](std::int64_t first, std::int64_t count, auto out) {
          stream.read(first, count, std::as_writable_bytes(out));
        };
      };
      claim.selected_tokens = rows_of(*one.selected_tokens);
      claim.selected_blocks = rows_of(*one.selected_blocks);
      claim.block_scores = rows_of(*one.block_scores);
      claim.score_blocks = one.block_scores->shape()[1];
      const TokenReport report = judge_tokens(claim, {});
      EXPECT_EQ(report.faults.total(), 0) << name;
      EXPECT_EQ(report.padded_rows, 2) << name;
      EXPECT_EQ(report.tokens.status, Status::pass) << report.tokens.reason;
      EXPECT_EQ(report.tokens.selector->rows, counts({3, 22, 0, 0, 0, 0}).rows) << name;
      EXPECT_EQ(report.tokens.end_to_end->rows, counts({3, 22, 0, 0, 0, 0}).rows) << name;
      ASSERT_TRUE(report.blocks.has_value());
      EXPECT_EQ(report.blocks->selector->rows, report.tokens.selector->rows) << name;
      EXPECT_EQ(report.blocks->end_to_end->rows, report.tokens.end_to_end->rows) << name;
      EXPECT_EQ(report.tokens.census.rows_selecting, 19) << name;
    }
  }
}

}  // namespace
}  // namespace plumbline

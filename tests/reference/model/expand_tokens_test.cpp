#include "reference/model/expand_tokens.h"

#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/error.h"

namespace plumbline {
namespace {

/// What the row of `position` attends, written from the definition rather than from the slot arithmetic:
/// every token of every selected block that is complete, then every token up to the query that no complete
/// block covers.
std::vector<std::int32_t> naive_expansion(const std::vector<std::int32_t>& blocks, std::int64_t position,
                                          std::int64_t length, std::int32_t ratio) {
  std::vector<std::int32_t> tokens;
  std::int64_t complete_here = 0;
  while ((complete_here + 1) * ratio <= position + 1 && (complete_here + 1) * ratio <= length)
    ++complete_here;
  for (std::size_t i = 0; i < blocks.size() && static_cast<std::int64_t>(i) < complete_here; ++i) {
    for (std::int32_t member = 0; member < ratio; ++member) {
      const std::int32_t token = blocks[i] * ratio + member;
      tokens.push_back(blocks[i] < 0 || token >= length ? -1 : token);
    }
  }
  for (std::int64_t token = 0; token <= position; ++token) {
    const bool in_complete_block = token / ratio * ratio + ratio <= position + 1;
    if (!in_complete_block) tokens.push_back(token < length ? static_cast<std::int32_t>(token) : -1);
  }
  tokens.resize(blocks.size() * static_cast<std::size_t>(ratio) + static_cast<std::size_t>(ratio) - 1, -1);
  return tokens;
}

std::vector<std::int32_t> expand(const std::vector<std::int32_t>& blocks, std::int64_t position,
                                 std::int64_t length, std::int32_t ratio) {
  std::vector<std::int32_t> tokens(
      blocks.size() * static_cast<std::size_t>(ratio) + static_cast<std::size_t>(ratio) - 1, 77);
  expand_tokens(blocks, position, length, ratio, tokens);
  return tokens;
}

/// The last min(k, visible) visible blocks, padded with -1: an arbitrary legal selection.
std::vector<std::int32_t> some_selection(std::int64_t position, std::int32_t ratio, std::int32_t k) {
  const auto visible = static_cast<std::int32_t>((position + 1) / ratio);
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(k), -1);
  const std::int32_t count = std::min(k, visible);
  std::iota(blocks.begin(), blocks.begin() + count, visible - count);
  return blocks;
}

TEST(ExpandTokens, AgreesWithTheDefinitionForEveryPositionOfTheRealGeometry) {
  for (std::int64_t position = 0; position <= 2056; ++position) {
    const auto blocks = some_selection(position, 4, 512);
    for (const std::int64_t length : {position + 1, position + 9}) {
      ASSERT_EQ(expand(blocks, position, length, 4), naive_expansion(blocks, position, length, 4))
          << "position " << position << " length " << length;
    }
  }
}

TEST(ExpandTokens, AgreesWithTheDefinitionForSmallRatiosAndShortSequences) {
  for (std::int32_t ratio = 1; ratio <= 5; ++ratio) {
    for (std::int32_t k = 1; k <= 4; ++k) {
      for (std::int64_t position = 0; position < 40; ++position) {
        const auto blocks = some_selection(position, ratio, k);
        for (std::int64_t length = 0; length <= position + 2; ++length) {
          ASSERT_EQ(expand(blocks, position, length, ratio), naive_expansion(blocks, position, length, ratio))
              << "ratio " << ratio << " k " << k << " position " << position << " length " << length;
        }
      }
    }
  }
}

TEST(ExpandTokens, CompactsTheTailBehindAShortSelection) {
  EXPECT_EQ(expand({0, -1}, 5, 6, 4), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, -1, -1, -1, -1, -1}));
  EXPECT_EQ(expand({-1, -1}, 1, 2, 4), (std::vector<std::int32_t>{0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
}

TEST(ExpandTokens, KeepsTheGivenBlockOrder) {
  EXPECT_EQ(expand({2, 0}, 6, 7, 2), (std::vector<std::int32_t>{4, 5, 0, 1, 6}));
}

TEST(ExpandTokens, LeavesAPaddedRowEmpty) {
  EXPECT_EQ(expand({0, 1}, -1, 40, 4), std::vector<std::int32_t>(11, -1));
  EXPECT_EQ(expand({0, 1}, -7, 40, 4), std::vector<std::int32_t>(11, -1));
}

TEST(ExpandTokens, SurvivesTheLargestPosition) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(expand({0, 1}, kLargest, 8, 4), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1}));
}

TEST(ExpandTokens, RefusesAWrongWidth) {
  std::vector<std::int32_t> blocks(2, 0), tokens(10);
  EXPECT_THROW(expand_tokens(blocks, 8, 9, 4, tokens), InputError);
}

}  // namespace
}  // namespace plumbline

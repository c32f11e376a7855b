#include "gpu/dispatch/attention_routes.h"
#include "tests/dispatch/plan_helpers.h"

#include <functional>

#include <gtest/gtest.h>

// Both sides of every gate of page-4 attention.
namespace plumbline::dispatch {
namespace {

using Change = std::function<void(PlanInput&)>;

/// A batch the engine serves by page-4 attention: capability 7.0, 64 rows, a quarter of the model's heads.
PlanInput page4_input(std::int64_t rows = 64) {
  PlanInput input = input_of(make_batch({{rows, 29'000}}, 196, 64), {7, 0}, "exact70");
  input.batch.attention = make_attention(rows, 6, 1, 1);
  input.extensions.page4 = true;
  return input;
}
std::string verdict(const PlanInput& input) {
  return verdict_on(decide_attention(input).decision, Route::attention_page4);
}
std::string verdict_after(const Change& change) {
  PlanInput input = page4_input();
  change(input);
  return verdict(input);
}
void use_byte_caches(PlanInput& input) {
  input.batch.attention->key_cache.type = input.batch.attention->value_cache.type = ElementType::uint8;
}

TEST(Page4, IsPlannedButUnsupportedWhereTheEngineHasIt) {
  const AttentionPlan plan = decide_attention(page4_input());
  EXPECT_EQ(plan.decision.route, Route::attention_page4);
  EXPECT_FALSE(plan.decision.supported());
}

TEST(Page4, IsRejectedWithoutItsExtension) {
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.extensions.page4 = false; }), "native_extension_unavailable");
}

TEST(Page4, NeedsThePolicy) {
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.policy = Policy({{PolicyField::qsa_xqa_page4, 0}}, {}, true);
            }),
            "policy_disabled");
}

TEST(Page4, StaysOnSevenZeroUnderEveryGateSet) {
  for (const std::string& gates : gate_set_names()) {
    EXPECT_EQ(verdict_after([&](PlanInput& i) { i.gates = gate_set(gates); }), "passes");
    EXPECT_EQ(verdict_after([&](PlanInput& i) {
                i.gates = gate_set(gates);
                i.capability = {7, 5};
              }),
              "capability");
  }
}

TEST(Page4, Needs64Rows) {
  EXPECT_EQ(verdict(page4_input(63)), "rows_below_min");
  EXPECT_EQ(verdict(page4_input(64)), "passes");
  EXPECT_EQ(verdict(page4_input(65)), "passes");
}

TEST(Page4, Needs17RowsWithByteCaches) {
  PlanInput few = page4_input(16), enough = page4_input(17);
  use_byte_caches(few);
  use_byte_caches(enough);
  EXPECT_EQ(verdict(few), "rows_below_min");
  EXPECT_EQ(verdict(enough), "passes");
}

TEST(Page4, GivesNoLogSumExp) {
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.attention->lse_requested = true; }), "lse_requested");
}

TEST(Page4, NeedsRowMetadata) {
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.attention->has_row_metadata = false; }),
            "row_metadata_missing");
}

TEST(Page4, NeedsHalfPrecisionQueriesAndEqualCaches) {
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.attention->query.type = ElementType::bfloat16; }),
            "query_dtype");
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.attention->key_cache.type = ElementType::uint8; }),
            "cache_dtype");
}

TEST(Page4, TakesAnyRowAndHeadStrideOfTheQueryButNoOtherHeads) {
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.batch.attention->query.strides = {4'096, 512, 1};
            }),
            "passes");
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.batch.attention->query.strides = {4'096, 512, 2};
            }),
            "query_shape");
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.batch.attention->query = contiguous(ElementType::float16, {64, 12, 256});
            }),
            "query_shape");
}

TEST(Page4, NeedsOneKeyHeadAndEqualShapes) {
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.batch.attention->value_cache = contiguous(ElementType::float16, {63, 784, 1, 256});
            }),
            "cache_shape");
}

TEST(Page4, NeedsPagesOfWholeBlocks) {
  const auto with_page = [](std::int64_t page) {
    return verdict_after([page](PlanInput& i) {
      i.batch.attention->key_cache = contiguous(ElementType::float16, {64, page, 1, 256});
      i.batch.attention->value_cache = i.batch.attention->key_cache;
    });
  };
  EXPECT_EQ(with_page(396), "passes");
  EXPECT_EQ(with_page(398), "page_not_multiple_of_4");
  EXPECT_EQ(with_page(400), "passes");
}

TEST(Page4, NeedsPlainOrInterleavedBlocks) {
  const auto with_strides = [](std::int64_t key, std::int64_t value) {
    return verdict_after([=](PlanInput& i) {
      i.batch.attention->key_cache.strides[0] = key;
      i.batch.attention->value_cache.strides[0] = value;
    });
  };
  constexpr std::int64_t kBlock = 784 * 256;
  EXPECT_EQ(with_strides(kBlock, kBlock), "passes");
  EXPECT_EQ(with_strides(2 * kBlock, 2 * kBlock), "passes");
  EXPECT_EQ(with_strides(3 * kBlock, 3 * kBlock), "cache_strides");
  EXPECT_EQ(with_strides(kBlock, 2 * kBlock), "cache_strides");
}

TEST(Page4, NeedsTheFullSelection) {
  EXPECT_EQ(verdict_after([](PlanInput& i) {
              i.batch.attention->indices = contiguous(ElementType::int32, {64, 2'048});
            }),
            "indices_shape");
}

TEST(Page4, NeedsItsMetadataTypes) {
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.attention->block_table.type = ElementType::int64; }),
            "block_table");
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.token_to_request.type = ElementType::int64; }),
            "token_to_request");
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.query_positions.type = ElementType::int32; }),
            "positions_dtype");
  EXPECT_EQ(verdict_after([](PlanInput& i) { i.batch.sequence_lengths.type = ElementType::int64; }),
            "sequence_lengths_dtype");
}

TEST(Page4, NeedsMicroPageNumbersOf30Bits) {
  const auto with_blocks = [](std::int64_t blocks) {
    return verdict_after([blocks](PlanInput& i) {
      i.batch.attention->key_cache = contiguous(ElementType::float16, {blocks, 4, 1, 256});
      i.batch.attention->value_cache = i.batch.attention->key_cache;
    });
  };
  EXPECT_EQ(with_blocks((std::int64_t{1} << 30) - 1), "passes");
  EXPECT_EQ(with_blocks(std::int64_t{1} << 30), "micro_page_overflow");
}

}  // namespace
}  // namespace plumbline::dispatch

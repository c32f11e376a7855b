#include "gpu/dispatch/batch.h"

#include <functional>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

Batch good_batch() { return make_batch({{5, 6'000}, {1'024, 8'192}}, 64, 40); }

/// The error of a good batch after the change; empty if it is still accepted.
std::string error_after(const std::function<void(Batch&)>& change) {
  Batch batch = good_batch();
  change(batch);
  try {
    validate(batch);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Batch, AProductionBatchIsAccepted) {
  Batch batch = good_batch();
  EXPECT_NO_THROW(validate(batch));
  EXPECT_EQ(batch.rows(), 1'029);
  EXPECT_EQ(batch.capacity(), 2'560);
  EXPECT_EQ(batch.selection_width(), 2'051);
  EXPECT_EQ(batch.visible_of(1), 2'048);
}

TEST(Batch, ContradictingExtentsAreNamed) {
  EXPECT_EQ(error_after([](Batch& b) { b.token_to_request = contiguous(ElementType::int32, {1'028}); }),
            "token to request: expected shape [1029], found [1028]");
  EXPECT_EQ(error_after([](Batch& b) { b.lengths.pop_back(); }), "number of lengths: expected 2, found 1");
  EXPECT_EQ(error_after([](Batch& b) {
              b.visible_max = {1, 2, 3};
            }),
            "number of visible maxima: expected 2, found 3");
  EXPECT_EQ(error_after([](Batch& b) { b.query.strides.pop_back(); }),
            "index query: 3 extents but 2 strides");
}

TEST(Batch, NegativeNumbersAreRefused) {
  EXPECT_EQ(error_after([](Batch& b) { b.query.shape[0] = -1; }),
            "index query: expected 0 to 1099511627776, found -1");
  EXPECT_EQ(error_after([](Batch& b) { b.lengths[0] = -1; }),
            "sequence length: expected 0 to 4294967295, found -1");
  EXPECT_EQ(error_after([](Batch& b) { b.block_topk = 0; }),
            "block top-k: expected 1 to 2147483647, found 0");
  EXPECT_EQ(error_after([](Batch& b) { b.compress_ratio = 0; }),
            "compress ratio: expected 1 to 1024, found 0");
  EXPECT_NE(error_after([](Batch& b) { b.key_cache.strides[0] = -8'192; }), "");
}

TEST(Batch, AbsurdNumbersAreRefused) {
  EXPECT_NE(error_after([](Batch& b) { b.query.shape[0] = std::int64_t{1} << 31; }), "");
  EXPECT_NE(error_after([](Batch& b) { b.key_cache.strides[0] = std::numeric_limits<std::int64_t>::max(); }),
            "");
  EXPECT_EQ(error_after([](Batch& b) {
              b.key_cache = contiguous(ElementType::float16, {1, 4'194'304, 1, 128});
              b.page_table = contiguous(ElementType::int32, {2, 1'024});
            }),
            "capacity in blocks: expected 0 to 4294967295, found 4294967296");
}

TEST(Batch, QueryStartsMustRiseWithinTheRows) {
  EXPECT_EQ(error_after([](Batch& b) { b.query_starts = {0, 1'029}; }), "query starts: expected 3, found 2");
  EXPECT_EQ(error_after([](Batch& b) {
              b.query_starts = {0, 7, 6};
            }),
            "query starts[2]: expected 7 to 1029, found 6");
  EXPECT_EQ(error_after([](Batch& b) {
              b.query_starts = {0, 5, 1'030};
            }),
            "query starts[2]: expected 5 to 1029, found 1030");
  EXPECT_EQ(error_after([](Batch& b) {
              b.query_starts = {-1, 5, 1'029};
            }),
            "query starts[0]: expected 0 to 1029, found -1");
}

TEST(Batch, TheOutputMustFitTheSelection) {
  EXPECT_EQ(error_after([](Batch& b) { b.output = contiguous(ElementType::int32, {1'029, 2'051}); }), "");
  EXPECT_EQ(error_after([](Batch& b) {
              b.output = contiguous(ElementType::int32, {1'029, 2'048});
            }),
            "output: expected i32 [1029, 2051], found i32 [1029, 2048]");
  EXPECT_NE(error_after([](Batch& b) { b.output = contiguous(ElementType::int64, {1'029, 2'051}); }), "");
}

TEST(Batch, AttentionMustHaveTheRowsOfTheBatch) {
  EXPECT_EQ(error_after([](Batch& b) { b.attention = make_attention(1'029, 24, 2, 2); }), "");
  EXPECT_EQ(error_after([](Batch& b) { b.attention = make_attention(1'028, 24, 2, 2); }),
            "attention query rows: expected 1029, found 1028");
}

TEST(Batch, AShapeBeyond63BitsIsRefused) {
  EXPECT_THROW(contiguous(ElementType::float16, {std::int64_t{1} << 40, std::int64_t{1} << 40}),
               std::invalid_argument);
  EXPECT_THROW(contiguous(ElementType::float16, {4, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace plumbline::dispatch

#include "reference/model/page_table.h"

#include <gtest/gtest.h>

#include "fixtures/error.h"

namespace plumbline {
namespace {

/// Two requests over a cache of 3 pages with 2 keys of one dimension; key p·2 + s holds the value 10·p + s.
struct PagedFixture {
  Tensor query{DType::float32, {4, 1, 1}}, cache{DType::float32, {3, 2, 1, 1}}, table{DType::int32, {2, 2}};
  Tensor requests{DType::int32, {4}}, positions{DType::int64, {4}}, lengths{DType::int32, {2}};

  PagedFixture() {
    for (int page = 0; page < 3; ++page) {
      for (int slot = 0; slot < 2; ++slot)
        cache.as<float>()[page * 2 + slot] = static_cast<float>(10 * page + slot);
    }
    set<std::int32_t>(table, {2, 0, 1, -1});
    set<std::int32_t>(lengths, {16, 7});
    set<std::int32_t>(requests, {0, 1, 2, -1});
    set<std::int64_t>(positions, {15, 30, 9, 9});
  }
  template <typename T>
  static void set(Tensor& tensor, std::initializer_list<T> values) {
    std::copy(values.begin(), values.end(), tensor.as<T>().begin());
  }
  PagedSelectInputs inputs() const {
    return {.geometry = {1, 1, 4, 2},
            .index_query = query.view(),
            .index_key_cache = cache.view(),
            .page_table = table.view(),
            .token_to_request = requests.view(),
            .query_positions = positions.view(),
            .sequence_lengths = lengths.view(),
            .query_start_loc = {}};
  }
};

std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

TEST(PageTable, GathersKeysInLogicalOrder) {
  const PagedFixture fixture;
  const LogicalKeys keys = gather_keys(fixture.inputs(), 0, 4);
  EXPECT_EQ(floats(keys.keys), (std::vector<float>{20, 21, 0, 1}));
  EXPECT_EQ(keys.valid, (std::vector<std::uint8_t>{1, 1, 1, 1}));
}

TEST(PageTable, MarksUnmappedAndOutOfRangePagesInvalidAndZero) {
  PagedFixture fixture;
  const LogicalKeys unmapped = gather_keys(fixture.inputs(), 1, 3);
  EXPECT_EQ(floats(unmapped.keys), (std::vector<float>{10, 11, 0}));
  EXPECT_EQ(unmapped.valid, (std::vector<std::uint8_t>{1, 1, 0}));
  fixture.table.as<std::int32_t>()[2] = 3;
  EXPECT_EQ(gather_keys(fixture.inputs(), 1, 1).valid, std::vector<std::uint8_t>{0});
}

TEST(PageTable, FollowsTheStridesOfTheCache) {
  PagedFixture fixture;
  PagedSelectInputs inputs = fixture.inputs();
  std::swap(inputs.index_key_cache.strides[0], inputs.index_key_cache.strides[1]);  // slot-major storage
  inputs.index_key_cache.shape = {2, 3, 1, 1};
  EXPECT_EQ(floats(gather_keys(inputs, 1, 3).keys), (std::vector<float>{1, 11, 21}));
}

TEST(PageTable, RefusesMoreBlocksThanTheTableHolds) {
  const PagedFixture fixture;
  EXPECT_THROW(gather_keys(fixture.inputs(), 0, 5), InputError);
  EXPECT_THROW(gather_keys(fixture.inputs(), 2, 1), InputError);
}

TEST(PageTable, LimitsVisibilityByLengthAndCapacityAndRequest) {
  PagedFixture fixture;
  EXPECT_EQ(visible_blocks_of_row(fixture.inputs(), 0), 4);
  EXPECT_EQ(visible_blocks_of_row(fixture.inputs(), 1), 1) << "7 tokens hold one complete block";
  EXPECT_EQ(visible_blocks_of_row(fixture.inputs(), 2), 0) << "request 2 does not exist";
  EXPECT_EQ(visible_blocks_of_row(fixture.inputs(), 3), 0) << "padded row";
  fixture.lengths.as<std::int32_t>()[0] = 1000;
  fixture.positions.as<std::int64_t>()[0] = 999;
  EXPECT_EQ(visible_blocks_of_row(fixture.inputs(), 0), 4) << "two pages of two keys";
}

}  // namespace
}  // namespace plumbline

#include "reference/model/request_rows.h"

#include "reference/model/page_table.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kRequests = 3, kPages = 4;

/// Row i asks for request ids[i] and holds the query i. Key s of page p is 10·p + s; every request maps the
/// pages p = request, request + 1.
struct Batch {
  explicit Batch(const std::vector<std::int32_t>& ids)
      : rows(static_cast<std::int64_t>(ids.size())),
        query(DType::float32, {rows, 1, 1}),
        requests(DType::int32, {rows}),
        positions(DType::int64, {rows}) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      query.as<float>()[i] = static_cast<float>(i);
      requests.as<std::int32_t>()[i] = ids[i];
      positions.as<std::int64_t>()[i] = 8 + static_cast<std::int64_t>(i);
    }
    for (std::size_t i = 0; i < kPages * 2; ++i)
      cache.as<float>()[i] = static_cast<float>(10 * (i / 2) + i % 2);
    for (std::size_t r = 0; r < kRequests; ++r) {
      table.as<std::int32_t>()[2 * r] = static_cast<std::int32_t>(r);
      table.as<std::int32_t>()[2 * r + 1] = static_cast<std::int32_t>(r + 1);
      lengths.as<std::int32_t>()[r] = 1000;
    }
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

  std::int64_t rows;
  Tensor query, requests, positions;
  Tensor cache{DType::float32, {kPages, 2, 1, 1}}, table{DType::int32, {kRequests, 2}},
      lengths{DType::int32, {kRequests}};
};

TEST(RequestRows, GathersEachRequestsRowsInOrderWithTheirOwnQueriesAndVisibility) {
  const Batch batch({2, 0, -1, 2, 0});
  const std::vector<RequestRows> all = rows_by_request(batch.inputs());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].request, 0);
  EXPECT_EQ(all[0].numbers, (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(all[1].request, 2);
  EXPECT_EQ(all[1].numbers, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(all[1].query.as<float>()[1], 3);
  EXPECT_EQ(all[1].visible.as<std::int32_t>()[0], 2);  // position 8
  EXPECT_EQ(all[1].visible.as<std::int32_t>()[1], 3);  // position 11
  EXPECT_EQ(all[1].blocks, 3);
}

// CASES.md H6: an id from the capacity on is no request; modulo the capacity it would be another one's.
TEST(RequestRows, AnIdBeyondTheCapacityIsNoOtherRequest) {
  std::vector<std::int32_t> ids;
  for (std::int32_t id = -2; id <= 2 * kRequests; ++id) ids.push_back(id);
  const Batch batch(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool legal = ids[i] >= 0 && ids[i] < kRequests;
    EXPECT_EQ(is_padded_row(batch.inputs(), static_cast<std::int64_t>(i)), !legal) << ids[i];
  }
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> found;
  for (const RequestRows& rows : rows_by_request(batch.inputs()))
    found.emplace_back(rows.request, rows.numbers);
  EXPECT_EQ(found,
            (std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>{{0, {2}}, {1, {3}}, {2, {4}}}));
}

TEST(RequestRows, APageBeyondTheCacheIsNoOtherPage) {
  Batch batch({0});
  for (std::int32_t page = -2; page <= 2 * kPages; ++page) {
    batch.table.as<std::int32_t>()[0] = page;
    const LogicalKeys keys = gather_keys(batch.inputs(), 0, 2);
    const bool mapped = page >= 0 && page < kPages;
    EXPECT_EQ(keys.valid[1], mapped ? 1 : 0) << page;
    EXPECT_EQ(keys.keys.as<float>()[1], mapped ? static_cast<float>(10 * page + 1) : 0) << page;
  }
}

// CASES.md A7: a step of an idle rank.
TEST(RequestRows, NoRowsAndPaddedRowsAloneGiveNoRequests) {
  EXPECT_TRUE(rows_by_request(Batch({}).inputs()).empty());
  EXPECT_TRUE(rows_by_request(Batch({-1, kRequests}).inputs()).empty());
}

}  // namespace
}  // namespace plumbline

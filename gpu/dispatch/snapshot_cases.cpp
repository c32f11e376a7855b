#include "gpu/dispatch/snapshot_cases.h"

#include <utility>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

using Cases = std::vector<SnapshotCase>;

constexpr std::int64_t kPage = 202, kWidth = 325;  // capacity for 262,144 tokens
constexpr std::int64_t kRows = 1'616, kLength = 29'000;

/// A step with the whole model's attention.
Batch step(const std::vector<RequestShape>& requests) {
  Batch batch = make_batch(requests, kPage, kWidth);
  batch.attention = make_attention(batch.rows(), 24, 2, batch.requests());
  return batch;
}
Batch prefill(std::int64_t rows, std::int64_t length) { return step({{rows, length}}); }

/// `blocks` blocks seen, and no room for more: the scores have exactly that many columns on every route.
Batch exact_columns(std::int64_t rows, std::int64_t blocks) {
  Batch batch = make_batch({{rows, 4 * blocks}}, 1, blocks);
  batch.attention = make_attention(rows, 24, 2, 1);
  return batch;
}

template <class Change>
void add(Cases& cases, std::string id, Batch batch, Change change) {
  change(batch);
  cases.push_back({std::move(id), std::move(batch)});
}
void add(Cases& cases, std::string id, Batch batch) { cases.push_back({std::move(id), std::move(batch)}); }

void add_prefill(Cases& cases) {
  for (const std::int64_t rows : {0, 511, 512, 513, 1'616}) {
    add(cases, fmt::format("prefill.rows_{}", rows), prefill(rows, kLength));
  }
  for (const std::int64_t length : {29'000, 184'000, 249'950, 262'144}) {
    add(cases, fmt::format("prefill.length_{}", length), prefill(kRows, length));
  }
  for (const auto& [rows, columns] :
       {std::pair{1'025, 1'023}, std::pair{1'024, 1'024}, std::pair{1'025, 1'024}}) {
    add(cases, fmt::format("prefill.scores_{}", rows * columns), exact_columns(rows, columns));
  }
  for (const std::int64_t k : {511, 512, 513, 1'024, 2'048}) {
    add(cases, fmt::format("prefill.topk_{}", k), prefill(kRows, kLength),
        [k](Batch& b) { b.block_topk = k; });
  }
}

void add_requests(Cases& cases) {
  add(cases, "requests.1", prefill(kRows, kLength));
  add(cases, "requests.2_long", step({{808, kLength}, {808, kLength}}));
  for (const std::int64_t rows : {511, 512, 513}) {
    add(cases, fmt::format("requests.511_and_{}_rows", rows), step({{511, kLength}, {rows, kLength}}));
  }
  add(cases, "requests.short_long_short", step({{5, 6'000}, {1'024, 8'192}, {5, 9'000}}));
  add(cases, "requests.long_with_little_work", step({{5, kLength}, {600, 2'100}}));
  add(cases, "requests.padded", step({{808, kLength}, {808, kLength}}),
      [](Batch& b) { b.query_starts->back() -= 1; });
  add(cases, "requests.without_query_starts", step({{808, kLength}, {808, kLength}}),
      [](Batch& b) { b.query_starts.reset(); });
  add(cases, "requests.starts_from_1", step({{808, kLength}, {808, kLength}}),
      [](Batch& b) { b.query_starts->front() = 1; });
}

void add_tensors(Cases& cases) {
  const auto bf16 = ElementType::bfloat16, f16 = ElementType::float16;
  add(cases, "dtype.query_bf16", prefill(kRows, kLength), [&](Batch& b) { b.query.type = bf16; });
  add(cases, "dtype.cache_bf16", prefill(kRows, kLength), [&](Batch& b) { b.key_cache.type = bf16; });
  add(cases, "dtype.both_bf16", prefill(kRows, kLength),
      [&](Batch& b) { b.query.type = b.key_cache.type = bf16; });
  add(cases, "dtype.both_bf16_two_requests", step({{808, kLength}, {808, kLength}}),
      [&](Batch& b) { b.query.type = b.key_cache.type = bf16; });
  add(cases, "dtype.positions_i32", prefill(kRows, kLength),
      [](Batch& b) { b.query_positions.type = ElementType::int32; });
  for (const std::int64_t heads : {3, 4, 5}) {
    add(cases, fmt::format("shape.heads_{}", heads), prefill(kRows, kLength), [&](Batch& b) {
      b.query = contiguous(f16, {kRows, heads, 128});
    });
  }
  for (const std::int64_t dim : {64, 128}) {
    add(cases, fmt::format("shape.dim_{}", dim), prefill(kRows, kLength), [&](Batch& b) {
      b.query = contiguous(f16, {kRows, 4, dim});
      b.key_cache = contiguous(f16, {kWidth, kPage, 1, dim});
    });
  }
  add(cases, "shape.strided_query", prefill(kRows, kLength), [](Batch& b) {
    b.query.strides = {1'024, 256, 2};
  });
}

void add_topk(Cases& cases) {
  for (const std::int64_t rows : {1, 2, 4, 5, 6, 10, 16, 17, 31, 32, 33}) {
    for (const std::int64_t columns : {511, 512, 513, 9'216, 9'217, 32'767, 32'768, 32'769}) {
      add(cases, fmt::format("topk.rows_{}.columns_{}", rows, columns), exact_columns(rows, columns));
    }
  }
  for (const std::int64_t visible : {511, 512, 513, 2'304, 2'305, 32'767, 32'768}) {
    add(cases, fmt::format("topk.row_of_{}_blocks", visible), prefill(1, 4 * visible));
  }
}

void add_shared_key(Cases& cases) {
  for (const std::int64_t rows : {1, 2, 5, 8, 9}) {
    add(cases, fmt::format("shared_key.rows_{}", rows), prefill(rows, kLength),
        [](Batch& b) { b.shared_key_scoring = true; });
  }
}

void add_attention(Cases& cases) {
  const auto quarter = [](std::int64_t rows) {
    Batch batch = prefill(rows, kLength);
    batch.attention = make_attention(rows, 6, 1, 1);
    return batch;
  };
  for (const std::int64_t rows : {1, 8, 9, 16, 17, 31, 32, 63, 64, 65, 256, 257, 512, 513}) {
    add(cases, fmt::format("attention.rows_{}", rows), quarter(rows));
  }
  for (const std::int64_t rows : {16, 17}) {
    add(cases, fmt::format("attention.u8_rows_{}", rows), quarter(rows),
        [](Batch& b) { b.attention->key_cache.type = b.attention->value_cache.type = ElementType::uint8; });
  }
}

}  // namespace

std::vector<SnapshotCase> snapshot_cases() {
  Cases cases;
  add_prefill(cases);
  add_requests(cases);
  add_tensors(cases);
  add_topk(cases);
  add_shared_key(cases);
  add_attention(cases);
  return cases;
}

const std::vector<Capability>& snapshot_capabilities() {
  static const std::vector<Capability> capabilities = {{7, 0}, {7, 2}, {7, 5},  {8, 0}, {8, 6},
                                                       {8, 9}, {9, 0}, {10, 0}, {12, 0}};
  return capabilities;
}

}  // namespace plumbline::dispatch

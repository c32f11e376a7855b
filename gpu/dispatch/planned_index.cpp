#include "gpu/dispatch/planned_index.h"

#include "gpu/dispatch/hash.h"

#include <utility>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

PlannedCall call_of(const std::string& text, std::vector<PlannedLaunch> launches) {
  return {hash_text(text), std::move(launches)};
}

std::string text_of(const IndexShape& shape) {
  return fmt::format("{} {}x{} rotary {} ratio {}", shape.storage, shape.heads, shape.dim, shape.rotary_dim,
                     shape.ratio);
}

}  // namespace

PlannedCall planned_projection(const std::string& storage, std::int64_t tokens, std::int64_t hidden,
                               std::int64_t outputs) {
  std::vector<PlannedLaunch> launches;
  if (tokens > 0 && outputs > 0)
    launches = {{Route::index_projection, Kernel::library_product, 1, PlannedLaunch::kAny}};
  return call_of(fmt::format("index.projection {} {}x{}x{}", storage, tokens, hidden, outputs),
                 std::move(launches));
}

PlannedCall planned_rotation(const IndexShape& shape, std::int64_t coordinates) {
  std::vector<PlannedLaunch> launches;
  if (shape.rotary_dim > 0 && coordinates > 0)
    launches = {{Route::index_rotation, Kernel::rotation_table, 1, 1}};
  return call_of(fmt::format("index.rotation {} coordinates {}", text_of(shape), coordinates),
                 std::move(launches));
}

PlannedCall planned_index_step(const IndexShape& shape, std::int64_t rows) {
  std::vector<PlannedLaunch> launches;
  if (rows > 0) {
    if (shape.heads > 0) launches.push_back({Route::index_queries, Kernel::index_queries, 1, 1});
    launches.push_back({Route::index_keys, Kernel::compress_index_keys, 1, 1});
    launches.push_back({Route::index_keys, Kernel::keep_raw_keys, 1, 1});
  }
  return call_of(fmt::format("index.step {} rows {}", text_of(shape), rows), std::move(launches));
}

}  // namespace plumbline::dispatch

#include "reference/model/cache_file.h"

#include "fixtures/error.h"
#include "fixtures/sha256.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::string_view kMagic = "plumbline-cache 1\n";
constexpr std::size_t kDigestBytes = 64;

[[noreturn]] void refuse(const std::string& section, const std::string& expected, const std::string& found) {
  throw InputError("CACHE", section, expected, found);
}

class Writer {
 public:
  static constexpr bool reading = false;

  void raw(const std::string& name, const Shape& shape, std::size_t element, const void* data) {
    integer(static_cast<std::int64_t>(name.size()));
    put(name.data(), name.size());
    const std::size_t size = static_cast<std::size_t>(element_count(shape)) * element;
    integer(static_cast<std::int64_t>(8 + 8 * shape.size() + size));
    integer(static_cast<std::int64_t>(shape.size()));
    for (const std::int64_t extent : shape) integer(extent);
    put(data, size);
  }
  void count(const std::string& name, std::int64_t value) { raw(name, {1}, 8, &value); }
  void rows(const std::string& name, const Rows<double>& rows) {
    raw(name, {rows.rows, rows.width}, 8, rows.numbers.data());
  }
  template <typename T>
  void list(const std::string& name, const std::vector<T>& values) {
    raw(name, {static_cast<std::int64_t>(values.size())}, sizeof(T), values.data());
  }
  void tensor(const std::string& name, const Tensor& tensor) {
    raw(name, tensor.shape, size_of(tensor.dtype), tensor.bytes.data());
  }

  std::vector<std::byte> finish() {
    const std::string digest = sha256_of(bytes_);
    put(digest.data(), digest.size());
    return std::move(bytes_);
  }
  Writer() { put(kMagic.data(), kMagic.size()); }

 private:
  void put(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  void integer(std::int64_t value) { put(&value, sizeof value); }

  std::vector<std::byte> bytes_;
};

/// A section's bytes, never read beyond their end.
class SectionReader {
 public:
  SectionReader(const CacheSection& section) : name_(section.name), left_(section.bytes) {}

  std::int64_t integer() {
    std::int64_t value;
    take(&value, sizeof value);
    return value;
  }
  Shape shape() {
    const std::int64_t rank = integer();
    if (rank < 0 || rank > 3) refuse(name_, "at most 3 axes", std::to_string(rank));
    Shape shape;
    for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(integer());
    return shape;
  }
  void take(void* to, std::size_t size) {
    if (size > left_.size())
      refuse(name_, fmt::format("{} more bytes", size), fmt::format("{}", left_.size()));
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  std::size_t left() const { return left_.size(); }

 private:
  const std::string& name_;
  std::span<const std::byte> left_;
};

class Reader {
 public:
  static constexpr bool reading = true;

  explicit Reader(std::span<const std::byte> bytes) : sections_(cache_sections(bytes)) {}

  void count(const std::string& name, std::int64_t& value) {
    std::vector<std::int64_t> one;
    list(name, one);
    if (one.size() != 1) refuse(name, "one number", std::to_string(one.size()));
    value = one[0];
  }
  /// As many rows as there are, or exactly those that `rows` has.
  void rows(const std::string& name, Rows<double>& rows, std::int64_t expected_rows) {
    fill(name, {expected_rows, rows.width}, 8, [&](std::size_t elements) {
      rows.rows = expected_rows;
      rows.numbers.resize(elements);
      return rows.numbers.data();
    });
  }
  void rows(const std::string& name, Rows<double>& rows) { this->rows(name, rows, rows.rows); }
  template <typename T>
  void list(const std::string& name, std::vector<T>& values) {
    fill(name, {-1}, sizeof(T), [&](std::size_t elements) {
      values.resize(elements);
      return values.data();
    });
  }
  void tensor(const std::string& name, Tensor& tensor, std::int64_t rows) {
    fill(name, {rows, tensor.extent(1)}, size_of(tensor.dtype), [&](std::size_t elements) {
      tensor.shape[0] = rows;
      tensor.bytes.resize(elements * size_of(tensor.dtype));
      return tensor.bytes.data();
    });
  }
  void finish() const {
    if (next_ != sections_.size()) refuse("", "its end", "section " + sections_[next_].name);
  }

 private:
  /// An extent of −1 may be anything that the bytes hold.
  template <typename Place>
  void fill(const std::string& name, const Shape& expected, std::size_t element, Place&& place) {
    if (next_ == sections_.size()) refuse(name, "a section of that name", "the end");
    const CacheSection& section = sections_[next_++];
    if (section.name != name) refuse(name, "a section of that name", section.name);
    SectionReader reader(section);
    const Shape shape = reader.shape();
    bool same = shape.size() == expected.size();
    for (std::size_t axis = 0; same && axis < shape.size(); ++axis)
      same = expected[axis] < 0 ? shape[axis] >= 0 : shape[axis] == expected[axis];
    if (!same) refuse(name, "shape " + to_string(expected), to_string(shape));
    // Every extent but a leading free one is the model's, so that the product does not overflow where the
    // first quotient fits.
    const std::size_t elements =
        expected[0] < 0 ? reader.left() / element : static_cast<std::size_t>(element_count(shape));
    if (elements * element != reader.left() ||
        (expected[0] < 0 && static_cast<std::int64_t>(elements) != shape[0]))
      refuse(name, fmt::format("{} bytes of shape {}", elements * element, to_string(shape)),
             std::to_string(reader.left()));
    reader.take(place(elements), elements * element);
  }

  std::vector<CacheSection> sections_;
  std::size_t next_ = 0;
};

// One walk over all states serves both directions; `Cache` is const when writing.

template <typename Archive, typename State>
void transfer_grid(Archive& archive, const std::string& at, State& state) {
  std::int64_t tokens = state.grid.empty() || state.grid[0].empty() ? 0 : state.grid[0].back().tokens();
  archive.count(at + "chunk", tokens);
  if constexpr (Archive::reading) {
    if (tokens < 0 || tokens > kDeltaRuleChunk)
      refuse(at + "chunk", fmt::format("0 to {} tokens", kDeltaRuleChunk), std::to_string(tokens));
    if (tokens > 0) state.grid.resize(state.heads.size());
  }
  for (std::size_t head = 0; tokens > 0 && head < state.grid.size(); ++head) {
    const std::string chunk_at = at + fmt::format("chunk.{}.", head);
    const auto part = [&](const char* name, auto& rows) {
      if constexpr (Archive::reading) {
        archive.rows(chunk_at + name, rows, tokens);
      } else {
        archive.rows(chunk_at + name, rows);
      }
    };
    if constexpr (Archive::reading)
      state.grid[head] = {
          DeltaRuleChunk<double>(state.heads[head], state.heads[head].rows, state.heads[head].width)};
    auto& chunk = state.grid[head].back();
    archive.rows(chunk_at + "before", chunk.before);
    archive.list(chunk_at + "decay", chunk.decay);
    if (static_cast<std::int64_t>(chunk.decay.size()) != tokens)
      refuse(chunk_at + "decay", std::to_string(tokens), std::to_string(chunk.decay.size()));
    part("keys", chunk.keys);
    part("values", chunk.values);
    part("decayed_keys", chunk.decayed_keys);
    part("inverse", chunk.inverse);
    part("writes", chunk.writes);
  }
}

template <typename Archive, typename State>
void transfer_attention(Archive& archive, const std::string& at, std::int64_t tokens, State& state) {
  IndexKeyCache::State index = state.index->state();
  if constexpr (Archive::reading) {
    archive.rows(at + "keys", state.keys, tokens);
    archive.rows(at + "values", state.values, tokens);
    archive.tensor(at + "raw_index_keys", index.raw, tokens);
  } else {
    archive.rows(at + "keys", state.keys);
    archive.rows(at + "values", state.values);
    archive.tensor(at + "raw_index_keys", index.raw);
  }
  archive.list(at + "block_coordinates", index.firsts);
  archive.list(at + "index_keys", index.keys);
  archive.list(at + "coordinates", state.coordinates);
  if (static_cast<std::int64_t>(state.coordinates.size()) != tokens)
    refuse(at + "coordinates", std::to_string(tokens), std::to_string(state.coordinates.size()));
  if constexpr (Archive::reading) state.index->restore(std::move(index));
}

template <typename Archive, typename Cache>
void transfer(Archive& archive, Cache& cache) {
  std::int64_t form = cache.delta_rule ? static_cast<std::int64_t>(*cache.delta_rule) : -1;
  archive.count("delta_rule", form);
  archive.list("ids", cache.ids);
  archive.list("coordinates", cache.coordinates);
  if (cache.ids.size() != cache.coordinates.size())
    refuse("coordinates", std::to_string(cache.ids.size()), std::to_string(cache.coordinates.size()));
  if constexpr (Archive::reading) {
    const auto last = static_cast<std::int64_t>(DeltaRuleForm::chunked_on_grid);
    if (form < -1 || form > last || (form < 0) != cache.ids.empty())
      refuse("delta_rule", "the form of a delta rule", std::to_string(form));
    if (form >= 0) cache.delta_rule = static_cast<DeltaRuleForm>(form);
    cache.tokens = static_cast<std::int64_t>(cache.ids.size());
  }
  // On the grid a state does not depend on where calls ended.
  if (form != static_cast<std::int64_t>(DeltaRuleForm::chunked_on_grid)) {
    archive.list("calls", cache.calls);
  } else if constexpr (Archive::reading) {
    if (cache.tokens > 0) cache.calls = {cache.tokens};
  }
  for (std::size_t layer = 0; layer < cache.layers.size(); ++layer) {
    auto& state = cache.layers[layer];
    const std::string at = fmt::format("layers.{}.", layer);
    if (state.ple) {
      const std::size_t context = state.ple->context.size();
      archive.list(at + "ple.context", state.ple->context);
      if (state.ple->context.size() != context)
        refuse(at + "ple.context", std::to_string(context), std::to_string(state.ple->context.size()));
      archive.rows(at + "ple.convolution", state.ple->convolution);
    }
    if (state.delta_net) {
      archive.rows(at + "delta_net.convolution", state.delta_net->convolution);
      for (std::size_t head = 0; head < state.delta_net->heads.size(); ++head)
        archive.rows(at + fmt::format("delta_net.heads.{}", head), state.delta_net->heads[head]);
      transfer_grid(archive, at + "delta_net.", *state.delta_net);
    }
    if (state.attention) transfer_attention(archive, at + "attention.", cache.tokens, *state.attention);
  }
}

std::int64_t integer_from(std::span<const std::byte>& bytes) {
  std::int64_t value;
  if (bytes.size() < sizeof value) refuse("", "another section", fmt::format("{} bytes", bytes.size()));
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

std::span<const std::byte> piece(std::span<const std::byte>& bytes, std::int64_t size) {
  if (size < 0 || static_cast<std::uint64_t>(size) > bytes.size())
    refuse("", fmt::format("{} bytes", size), std::to_string(bytes.size()));
  const auto part = bytes.first(static_cast<std::size_t>(size));
  bytes = bytes.subspan(part.size());
  return part;
}

}  // namespace

std::vector<std::byte> save_cache(const ModelCache& cache) {
  Writer writer;
  transfer(writer, cache);
  return writer.finish();
}

ModelCache restore_cache(const Qwen4Exp& model, std::span<const std::byte> bytes) {
  ModelCache cache = model.new_cache();
  Reader reader(bytes);
  transfer(reader, cache);
  reader.finish();
  // No call is longer than the whole, so that their sum does not overflow.
  if (std::ranges::any_of(cache.calls, [&](std::int64_t c) { return c < 1 || c > cache.tokens; }))
    refuse("calls", fmt::format("calls of 1 to {} tokens", cache.tokens), "others");
  const std::int64_t called = std::accumulate(cache.calls.begin(), cache.calls.end(), std::int64_t{0});
  if (called != cache.tokens)
    refuse("calls", fmt::format("{} tokens in all", cache.tokens), std::to_string(called));
  return cache;
}

std::vector<CacheSection> cache_sections(std::span<const std::byte> bytes) {
  const std::size_t frame = kMagic.size() + kDigestBytes;
  if (bytes.size() < frame || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    refuse("", "a saved cache of version 1", fmt::format("{} other bytes", bytes.size()));
  const auto body = bytes.first(bytes.size() - kDigestBytes);
  const std::string digest = sha256_of(body);
  if (std::memcmp(digest.data(), bytes.last(kDigestBytes).data(), kDigestBytes) != 0)
    refuse("", "contents with the stored SHA-256", digest);
  std::vector<CacheSection> sections;
  for (std::span<const std::byte> left = body.subspan(kMagic.size()); !left.empty();) {
    const auto name = piece(left, integer_from(left));
    const std::string text(reinterpret_cast<const char*>(name.data()), name.size());
    sections.push_back({text, piece(left, integer_from(left))});
  }
  return sections;
}

}  // namespace plumbline

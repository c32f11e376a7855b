#include "oracle/run/indexer_trial.h"

#include "fixtures/cases/random.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/index_key_cache.h"
#include "reference/model/index_projection.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::byte kOnes{0xFF};

Tensor floats(const std::vector<double>& values) {
  Tensor tensor(DType::float32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) tensor.as<float>()[i] = static_cast<float>(values[i]);
  return tensor;
}

std::vector<double> values_of(const RotaryFrequencies& frequencies) {
  std::vector<double> values;
  for (const Bounded& frequency : frequencies.per_pair) values.push_back(frequency.value);
  return values;
}

bool all_ones(const std::byte* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::byte b) { return b == kOnes; });
}

/// The slot of a request's block, or -1.
std::int64_t slot_of(const TrialPages& pages, std::int64_t request, std::int64_t block) {
  const std::int64_t logical = block / pages.page_size;
  if (logical >= pages.table.extent(1)) return -1;
  std::int32_t page = -1;
  std::memcpy(&page, pages.table.view().at(request, logical), sizeof page);
  return page < 0 || page >= pages.pages ? -1 : page * pages.page_size + block % pages.page_size;
}

/// The rows of one step, filled with NaN until a token is put there.
class StepRows {
 public:
  StepRows(const TrialIndexer& indexer, std::int64_t rows)
      : row_bytes_(static_cast<std::size_t>(indexer.width()) * size_of(indexer.model().storage)),
        projected_(indexer.model().storage, {rows, indexer.width()}),
        requests_(DType::int32, {rows}),
        places_(DType::int64, {rows}),
        coordinates_(DType::int64, {rows, 3}) {
    std::ranges::fill(projected_.bytes, kOnes);
  }
  void put(std::int64_t row, std::int32_t request, std::int64_t place, const Coordinates& at,
           const std::byte* projected) {
    requests_.as<std::int32_t>()[static_cast<std::size_t>(row)] = request;
    places_.as<std::int64_t>()[static_cast<std::size_t>(row)] = place;
    const std::int64_t axes[] = {at.temporal, at.height, at.width};
    std::ranges::copy(axes, coordinates_.as<std::int64_t>().begin() + 3 * row);
    if (projected != nullptr)
      std::memcpy(projected_.bytes.data() + static_cast<std::size_t>(row) * row_bytes_, projected,
                  row_bytes_);
  }
  IndexerStep step() const {
    return {projected_.view(), requests_.view(), places_.view(), coordinates_.view()};
  }

 private:
  std::size_t row_bytes_;
  Tensor projected_, requests_, places_, coordinates_;
};

std::int64_t largest_coordinate(const std::vector<TrialRequest>& requests) {
  std::int64_t largest = 0;
  for (const TrialRequest& request : requests) {
    for (const Coordinates& at : request.coordinates)
      largest = std::max({largest, at.temporal, at.height, at.width});
  }
  return largest;
}

void compare_keys(const TrialIndexer& indexer, const std::vector<TrialRequest>& requests,
                  const TrialPages& pages, const TrialOutcome& outcome, TrialTally& tally) {
  const std::size_t bytes = static_cast<std::size_t>(indexer.dim()) * size_of(indexer.model().storage);
  std::vector<std::uint8_t> owned(static_cast<std::size_t>(pages.pages * pages.page_size), 0);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    IndexKeyCache cache(indexer.reference());
    cache.append(raw_key_part(requests[r].projected.view(), indexer.heads(), indexer.dim()),
                 requests[r].coordinates);
    const BoundedTensor keys = cache.keys();
    for (std::int64_t block = 0; block < cache.blocks(); ++block) {
      const std::int64_t slot = slot_of(pages, static_cast<std::int64_t>(r), block);
      if (slot < 0) continue;
      owned[static_cast<std::size_t>(slot)] = 1;
      BoundedTensor one(keys.tensor.dtype, {indexer.dim()});
      for (std::int64_t d = 0; d < indexer.dim(); ++d) one.set(d, keys.at(block * indexer.dim() + d));
      compare_elements(one, outcome.keys.bytes.data() + static_cast<std::size_t>(slot) * bytes,
                       fmt::format("request {}, key of block {}", r, block), tally);
    }
  }
  for (std::size_t slot = 0; slot < owned.size(); ++slot) {
    if (owned[slot] != 0 || all_ones(outcome.keys.bytes.data() + slot * bytes, bytes)) continue;
    if (++tally.stray == 1 && tally.first.empty())
      tally.first = fmt::format("key slot {} belongs to no block", slot);
  }
}

void compare_ring(const TrialIndexer& indexer, const std::vector<TrialRequest>& requests,
                  std::int64_t ring_rows, const TrialOutcome& outcome, TrialTally& tally) {
  const std::size_t bytes = static_cast<std::size_t>(indexer.dim()) * size_of(indexer.model().storage);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const TensorView raw = raw_key_part(requests[r].projected.view(), indexer.heads(), indexer.dim());
    const std::int64_t tokens = requests[r].tokens();
    for (std::int64_t slot = 0; slot < ring_rows; ++slot) {
      const std::byte* found =
          outcome.ring.bytes.data() +
          (r * static_cast<std::size_t>(ring_rows) + static_cast<std::size_t>(slot)) * bytes;
      const std::int64_t last = tokens - 1 - ((tokens - 1 - slot) % ring_rows + ring_rows) % ring_rows;
      const bool same =
          slot >= tokens ? all_ones(found, bytes) : std::memcmp(found, raw.at(last), bytes) == 0;
      if (same) continue;
      if (++tally.ring_wrong == 1 && tally.first.empty())
        tally.first = fmt::format("request {}, ring slot {} of {} tokens", r, slot, tokens);
    }
  }
}

}  // namespace

TrialIndexer::TrialIndexer(const IndexerConfig& config, const IndexerWeights& weights,
                           const RoundingProfile& profile)
    : reference_(config, weights, profile),
      query_norm_(floats(weights.query_norm)),
      key_norm_(floats(weights.key_norm)),
      frequencies_(floats(values_of(weights.frequencies))) {
  model_.geometry = config.geometry;
  model_.storage = config.storage;
  model_.rotary_dim = config.rotary_dim;
  model_.norm_epsilon = config.norm_epsilon;
  model_.sections = weights.frequencies.sections;
  model_.query_norm = query_norm_.view();
  model_.key_norm = key_norm_.view();
  model_.inverse_frequencies = frequencies_.view();
}

TrialPages lay_out(const std::vector<TrialRequest>& requests, std::int64_t ratio, std::int64_t page_size,
                   bool unmapped) {
  TrialPages pages;
  pages.page_size = page_size;
  std::int64_t width = 1;
  for (const TrialRequest& request : requests)
    width = std::max(width, (request.tokens() / ratio + page_size - 1) / page_size);
  const auto count = static_cast<std::int64_t>(requests.size());
  pages.pages = count * width + 2;  // two belong to nobody
  std::vector<std::int32_t> order;
  for (std::int64_t page = 0; page < pages.pages; ++page) order.push_back(static_cast<std::int32_t>(page));
  Random random(17);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  pages.table = Tensor(DType::int32, {count, width});
  for (std::int64_t entry = 0; entry < count * width; ++entry) {
    const bool hole = unmapped && entry % width % 3 == 1;
    pages.table.as<std::int32_t>()[static_cast<std::size_t>(entry)] =
        hole ? (entry % 2 == 0 ? -1 : 1 << 30) : order[static_cast<std::size_t>(entry)];
  }
  return pages;
}

TrialOutcome drive(IndexerSubject& subject, const TrialIndexer& indexer,
                   const std::vector<TrialRequest>& requests, const TrialPages& pages, std::int64_t ring_rows,
                   const std::vector<TrialStep>& steps, std::int64_t padded_rows) {
  const auto count = static_cast<std::int64_t>(requests.size());
  const DType storage = indexer.model().storage;
  const auto sequences = subject.start(
      indexer.model(),
      {count, ring_rows, pages.pages, pages.page_size, pages.table.view(), largest_coordinate(requests) + 1});
  TrialOutcome outcome;
  for (const TrialRequest& request : requests) {
    outcome.queries.emplace_back(storage, Shape{request.tokens(), indexer.heads(), indexer.dim()});
    std::ranges::fill(outcome.queries.back().bytes, kOnes);
  }
  const std::size_t query_bytes =
      static_cast<std::size_t>(indexer.heads() * indexer.dim()) * size_of(storage);
  for (const TrialStep& step : steps) {
    std::int64_t total = padded_rows;
    for (const TrialPart& part : step) total += part.count + part.drafts;
    StepRows rows(indexer, total);
    std::int64_t row = 0;
    for (const TrialPart& part : step) {
      const TrialRequest& request = requests[static_cast<std::size_t>(part.request)];
      const auto id = static_cast<std::int32_t>(part.request);
      for (std::int64_t t = 0; t < part.count + part.drafts; ++t, ++row) {
        const std::int64_t place = part.first + t;
        const bool draft = t >= part.count;
        const Coordinates at = draft ? Coordinates{} : request.coordinates[static_cast<std::size_t>(place)];
        rows.put(row, id, place, at, draft ? nullptr : request.projected.view().at(place));
      }
    }
    const std::int64_t live = row;
    for (std::int64_t padded = 0; row < total; ++row, ++padded) {
      const bool foreign = padded % 2 == 0;
      rows.put(row, foreign ? (padded % 4 == 0 ? -1 : static_cast<std::int32_t>(count)) : 0, foreign ? 3 : -1,
               {}, nullptr);
    }
    const Tensor queries = sequences->step(rows.step());
    row = 0;
    for (const TrialPart& part : step) {
      std::memcpy(outcome.queries[static_cast<std::size_t>(part.request)].bytes.data() +
                      static_cast<std::size_t>(part.first) * query_bytes,
                  queries.bytes.data() + static_cast<std::size_t>(row) * query_bytes,
                  static_cast<std::size_t>(part.count) * query_bytes);
      row += part.count + part.drafts;
    }
    if (!all_ones(queries.bytes.data() + static_cast<std::size_t>(live) * query_bytes,
                  static_cast<std::size_t>(padded_rows) * query_bytes))
      throw InputError(subject.name() + " wrote the queries of a padded row");
  }
  outcome.keys = sequences->keys();
  outcome.ring = sequences->ring();
  return outcome;
}

void compare_elements(const BoundedTensor& ours, const std::byte* found, const std::string& what,
                      TrialTally& tally) {
  const DType type = ours.tensor.dtype;
  const std::size_t element = size_of(type);
  const auto count = static_cast<std::int64_t>(ours.error.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const Bounded expected = ours.at(i);
    const std::byte* at = found + static_cast<std::size_t>(i) * element;
    const double value = decode_element(type, at), distance = std::abs(value - expected.value);
    ++tally.elements;
    if (std::memcmp(at, ours.tensor.bytes.data() + static_cast<std::size_t>(i) * element, element) == 0)
      ++tally.bit_equal;
    if (expected.error > 0 && distance > 0)
      tally.largest_share = std::max(tally.largest_share, distance / expected.error);
    if (distance <= expected.error) continue;
    if (++tally.beyond == 1 && tally.first.empty())
      tally.first = fmt::format("{}, element {}: found {}, ours {} within {}", what, i, value, expected.value,
                                expected.error);
  }
}

void TrialTally::merge(const TrialTally& other) {
  elements += other.elements;
  bit_equal += other.bit_equal;
  beyond += other.beyond;
  largest_share = std::max(largest_share, other.largest_share);
  stray += other.stray;
  ring_wrong += other.ring_wrong;
  if (first.empty()) first = other.first;
}

std::string TrialTally::words() const {
  if (right())
    return fmt::format(
        "{} elements within their bounds (at most {:.2f} of one), {:.4f} % of them bit-equal", elements,
        largest_share,
        elements > 0 ? 100.0 * static_cast<double>(bit_equal) / static_cast<double>(elements) : 0);
  return fmt::format("{} of {} elements beyond their bounds, {} stray slots, {} wrong ring slots; first: {}",
                     beyond, elements, stray, ring_wrong, first);
}

TrialTally compare(const TrialIndexer& indexer, const std::vector<TrialRequest>& requests,
                   const TrialPages& pages, std::int64_t ring_rows, const TrialOutcome& outcome) {
  TrialTally tally;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const BoundedTensor queries = indexer.reference().queries(
        query_part(requests[r].projected.view(), indexer.heads(), indexer.dim()), requests[r].coordinates);
    compare_elements(queries, outcome.queries[r].bytes.data(), fmt::format("queries of request {}", r),
                     tally);
  }
  compare_keys(indexer, requests, pages, outcome, tally);
  compare_ring(indexer, requests, ring_rows, outcome, tally);
  return tally;
}

}  // namespace plumbline

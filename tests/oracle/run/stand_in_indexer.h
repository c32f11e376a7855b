#pragma once

#include "fixtures/indexer_subject.h"
#include "fixtures/small_float.h"
#include "reference/model/index_projection.h"
#include "reference/model/integer_view.h"
#include "reference/model/linear_layer.h"
#include "reference/model/qsa_indexer.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace plumbline {

enum class IndexerFault {
  none,
  refuses,
  one_group_ring,      ///< CASES.md C2
  pools_the_draft,     ///< C4: members of the step alone, whatever their place
  last_members_place,  ///< rotates a key at its last member's coordinates
  time_axis_only,      ///< B11
  no_norm,
  writes_padded_queries,
  writes_beyond_the_table,  ///< C5
  projects_twice,
};

inline std::vector<double> floats_of(const TensorView& view) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < view.extent(0); ++i) values.push_back(decode_element(view.dtype, view.at(i)));
  return values;
}

/// The reference as an engine with a paged store and a ring, with one fault of choice.
class StandInSequences final : public IndexerSequences {
 public:
  StandInSequences(const IndexerModel& model, const IndexerStorage& storage, IndexerFault fault)
      : fault_(fault),
        storage_(storage),
        heads_(model.geometry.index_heads),
        dim_(model.geometry.index_head_dim),
        ratio_(model.geometry.compress_ratio),
        indexer_(config_of(model), weights_of(model), hf_cuda_profile()),
        keys_(model.storage, {storage.pages, storage.page_size, dim_}),
        ring_(model.storage, {storage.requests, storage.ring_rows, dim_}),
        ring_places_(static_cast<std::size_t>(storage.requests * storage.ring_rows)) {
    std::ranges::fill(keys_.bytes, std::byte{0xFF});
    std::ranges::fill(ring_.bytes, std::byte{0xFF});
  }

  Tensor step(const IndexerStep& step) override {
    const TensorView queries = query_part(step.projected, heads_, dim_);
    const TensorView raw = raw_key_part(step.projected, heads_, dim_);
    const std::int64_t rows = step.projected.extent(0);
    const std::size_t bytes = static_cast<std::size_t>(dim_) * size_of(keys_.dtype);
    Tensor out(keys_.dtype, {rows, heads_, dim_});
    std::ranges::fill(out.bytes, std::byte{0xFF});
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t request = integer_at(step.token_to_request, row),
                         place = integer_at(step.places, row);
      const bool live = request >= 0 && request < storage_.requests && place >= 0;
      if (!live && fault_ != IndexerFault::writes_padded_queries) continue;
      const Coordinates at = coordinates(step, row);
      TensorView one = queries;
      one.data = queries.at(row);
      one.shape[0] = 1;
      const BoundedTensor query = indexer_.queries(one, {&at, 1});
      std::memcpy(out.bytes.data() + static_cast<std::size_t>(row * heads_) * bytes,
                  query.tensor.bytes.data(), query.tensor.bytes.size());
      if (!live) {
        std::memset(out.bytes.data() + static_cast<std::size_t>(row * heads_) * bytes, 0, bytes);
        continue;
      }
      const std::int64_t rows_of_ring = fault_ == IndexerFault::one_group_ring ? ratio_ : storage_.ring_rows;
      const auto ring_slot = [&](std::int64_t p) { return request * storage_.ring_rows + p % rows_of_ring; };
      std::memcpy(ring_.bytes.data() + static_cast<std::size_t>(ring_slot(place)) * bytes, raw.at(row),
                  bytes);
      ring_places_[static_cast<std::size_t>(ring_slot(place))] = at;
      if (place % ratio_ == ratio_ - 1) compress(request, place, row, raw, at, ring_slot, bytes);
    }
    return out;
  }
  Tensor keys() const override { return keys_; }
  Tensor ring() const override { return ring_; }

 private:
  static IndexerConfig config_of(const IndexerModel& model) {
    IndexerConfig config;
    config.geometry = model.geometry;
    config.storage = model.storage;
    config.rotary_dim = model.rotary_dim;
    config.norm_epsilon = model.norm_epsilon;
    config.sections = model.sections;
    return config;
  }
  IndexerWeights weights_of(const IndexerModel& model) const {
    IndexerWeights weights{floats_of(model.query_norm), floats_of(model.key_norm), {{}, model.sections}};
    if (fault_ == IndexerFault::no_norm) std::ranges::fill(weights.query_norm, 0.0);
    for (const double f : floats_of(model.inverse_frequencies))
      weights.frequencies.per_pair.push_back({f, 0});
    return weights;
  }
  Coordinates coordinates(const IndexerStep& step, std::int64_t row) const {
    const auto axis = [&](int index) { return integer_at(step.coordinates, row, index); };
    if (fault_ == IndexerFault::time_axis_only) return Coordinates::text(axis(0));
    return {axis(0), axis(1), axis(2)};
  }
  template <typename Slot>
  void compress(std::int64_t request, std::int64_t place, std::int64_t row, const TensorView& raw,
                const Coordinates& last, const Slot& ring_slot, std::size_t bytes) {
    Tensor group(keys_.dtype, {ratio_, dim_});
    for (std::int64_t m = 0; m < ratio_; ++m) {
      const std::int64_t back = ratio_ - 1 - m;
      const std::byte* from = ring_.bytes.data() + static_cast<std::size_t>(ring_slot(place - back)) * bytes;
      if (fault_ == IndexerFault::pools_the_draft && row >= back) from = raw.at(row - back);
      std::memcpy(group.bytes.data() + static_cast<std::size_t>(m) * bytes, from, bytes);
    }
    const Coordinates first = fault_ == IndexerFault::last_members_place
                                  ? last
                                  : ring_places_[static_cast<std::size_t>(ring_slot(place - ratio_ + 1))];
    std::vector<Bounded> key(static_cast<std::size_t>(dim_));
    indexer_.block_key(group.view(), first, key);
    const std::int64_t block = place / ratio_;
    std::int64_t logical = block / storage_.page_size;
    if (logical >= storage_.page_table.extent(1)) return;
    std::int64_t page = integer_at(storage_.page_table, request, logical);
    if (page < 0 || page >= storage_.pages) {
      if (fault_ != IndexerFault::writes_beyond_the_table) return;
      page = 0;
    }
    const std::int64_t slot = page * storage_.page_size + block % storage_.page_size;
    BoundedTensor stored(keys_.dtype, {dim_});
    for (std::int64_t d = 0; d < dim_; ++d) stored.set(d, key[static_cast<std::size_t>(d)]);
    std::memcpy(keys_.bytes.data() + static_cast<std::size_t>(slot) * bytes, stored.tensor.bytes.data(),
                bytes);
  }

  IndexerFault fault_;
  IndexerStorage storage_;
  std::int64_t heads_, dim_, ratio_;
  QsaIndexer indexer_;
  Tensor keys_, ring_;
  std::vector<Coordinates> ring_places_;
};

class StandInIndexer final : public IndexerSubject {
 public:
  explicit StandInIndexer(IndexerFault fault) : fault_(fault) {}
  std::string name() const override { return "stand-in"; }
  Tensor project(const TensorView& x, const TensorView& weight) override {
    std::vector<float> numbers;
    for (std::int64_t o = 0; o < weight.extent(0); ++o)
      for (std::int64_t i = 0; i < weight.extent(1); ++i)
        numbers.push_back(static_cast<float>(decode_element(weight.dtype, weight.at(o, i))));
    Rows<Bounded> rows(x.extent(0), x.extent(1));
    for (std::int64_t t = 0; t < x.extent(0); ++t)
      for (std::int64_t i = 0; i < x.extent(1); ++i)
        rows.row(t)[static_cast<std::size_t>(i)] = {decode_element(x.dtype, x.at(t, i)), 0};
    const Rows<Bounded> out = linear_layer(rows, LinearWeight(numbers, weight.extent(0), weight.extent(1)),
                                           EngineArithmetic(hf_cuda_profile(), x.dtype));
    BoundedTensor projected(x.dtype, {out.rows, out.width});
    for (std::size_t i = 0; i < out.numbers.size(); ++i) {
      Bounded value = out.numbers[i];
      if (fault_ == IndexerFault::projects_twice) value = rounded(x.dtype, value + value);
      projected.set(static_cast<std::int64_t>(i), value);
    }
    return projected.tensor;
  }
  std::unique_ptr<IndexerSequences> start(const IndexerModel& model, const IndexerStorage& storage) override {
    if (fault_ == IndexerFault::refuses) throw UnsupportedCase("serves nothing");
    return std::make_unique<StandInSequences>(model, storage, fault_);
  }

 private:
  IndexerFault fault_;
};

}  // namespace plumbline

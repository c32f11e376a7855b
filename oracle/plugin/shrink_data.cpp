#include "fixtures/packed_bytes.h"
#include "oracle/plugin/shrink.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace plumbline {
namespace {

using Indices = std::vector<std::int64_t>;

Indices all_of(std::int64_t count) {
  Indices all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The entries `kept` of one axis.
Tensor kept_of(const Tensor& tensor, std::size_t axis, const Indices& kept) {
  Shape shape = tensor.shape;
  const std::int64_t extent = shape[axis];
  shape[axis] = static_cast<std::int64_t>(kept.size());
  Tensor out(tensor.dtype, shape);
  std::int64_t outer = 1;
  std::size_t inner = size_of(tensor.dtype);
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  std::byte* to = out.bytes.data();
  for (std::int64_t i = 0; i < outer; ++i)
    for (const std::int64_t index : kept) {
      std::memcpy(to, tensor.bytes.data() + static_cast<std::size_t>(i * extent + index) * inner, inner);
      to += inner;
    }
  return out;
}

void keep(std::optional<Tensor>& tensor, std::size_t axis, const Indices& kept) {
  if (tensor) tensor = kept_of(*tensor, axis, kept);
}

GeneratedSelect with_rows(GeneratedSelect data, const Indices& kept) {
  keep(data.index_query, 0, kept);
  keep(data.scores, 0, kept);
  data.visible_blocks = kept_of(data.visible_blocks, 0, kept);
  data.rows = static_cast<std::int64_t>(kept.size());
  return data;
}

GeneratedSelect with_blocks(GeneratedSelect data, const Indices& kept) {
  for (std::int32_t& visible : data.visible_blocks.as<std::int32_t>()) {
    if (visible < 0) continue;
    visible = static_cast<std::int32_t>(
        std::ranges::count_if(kept, [&](std::int64_t block) { return block < visible; }));
  }
  keep(data.index_key, 0, kept);
  keep(data.scores, 1, kept);
  data.blocks = static_cast<std::int64_t>(kept.size());
  return data;
}

/// The same values side by side in memory, without padding.
GeneratedSelect packed(const GeneratedSelect& data) {
  const SelectInputs inputs = data.inputs();
  GeneratedSelect out;
  out.geometry = data.geometry;
  out.rows = data.rows;
  out.blocks = data.blocks;
  out.visible_blocks = data.visible_blocks;
  const auto copy = [](const std::optional<TensorView>& view, std::optional<Tensor>& tensor) {
    if (!view) return;
    tensor.emplace(view->dtype, view->shape);
    tensor->bytes = packed_bytes(*view);
  };
  copy(inputs.index_query, out.index_query);
  copy(inputs.index_key, out.index_key);
  copy(inputs.scores, out.scores);
  return out;
}

class Shrinker {
 public:
  Shrinker(GeneratedSelect data, const StillFails& still_fails, const MoreTime& more_time)
      : data_(std::move(data)), still_fails_(still_fails), more_time_(more_time) {}

  GeneratedSelect run() {
    take(packed(data_));
    for (bool progress = true; progress && more_time_();) {
      progress = drop_rows();
      progress = drop_blocks(true) || progress;
      progress = drop_blocks(false) || progress;
      progress = fewer_winners() || progress;
      progress = narrow_heads() || progress;
      progress = narrow_dims() || progress;
    }
    simplify_scores();
    return std::move(data_);
  }

 private:
  bool take(GeneratedSelect candidate) {
    if (!more_time_() || !still_fails_(candidate)) return false;
    data_ = std::move(candidate);
    return true;
  }

  /// Leaves out runs of an axis, the longest first, as long as `make` of the rest still fails.
  template <typename Make>
  bool drop(std::int64_t extent, const Make& make) {
    bool smaller = false;
    std::int64_t now = extent;
    for (std::int64_t run = now - 1; run > 0; run = run == 1 ? 0 : (run + 1) / 2) {
      for (std::int64_t first = now - run; first >= 0 && now > run;) {
        Indices kept = all_of(now);
        kept.erase(kept.begin() + first, kept.begin() + first + run);
        std::optional<GeneratedSelect> candidate = make(kept);
        if (candidate && take(std::move(*candidate))) {
          now -= run;
          smaller = true;
          first = std::min(first, now - run);
        } else if (first == 0) {
          break;
        } else {
          first = std::max<std::int64_t>(first - run, 0);
        }
      }
      run = std::min(run, now);
    }
    return smaller;
  }

  bool drop_rows() {
    return drop(data_.rows, [&](const Indices& kept) { return std::optional(with_rows(data_, kept)); });
  }

  /// `with_winners`: and as many winners less, so that the cutoff stays where it is when winners are left
  /// out.
  bool drop_blocks(bool with_winners) {
    return drop(data_.blocks, [&](const Indices& kept) -> std::optional<GeneratedSelect> {
      const auto dropped = static_cast<std::int32_t>(data_.blocks - static_cast<std::int64_t>(kept.size()));
      if (with_winners && data_.geometry.block_topk <= dropped) return std::nullopt;
      GeneratedSelect candidate = with_blocks(data_, kept);
      if (with_winners) candidate.geometry.block_topk -= dropped;
      return candidate;
    });
  }

  bool fewer_winners() {
    for (std::int32_t k = 1; k < data_.geometry.block_topk; k *= 2) {
      GeneratedSelect candidate = data_;
      candidate.geometry.block_topk = k;
      if (take(std::move(candidate))) return true;
    }
    return false;
  }

  bool narrow_heads() {
    if (!data_.index_query) return false;
    return drop(data_.index_query->extent(1), [&](const Indices& kept) {
      GeneratedSelect candidate = data_;
      keep(candidate.index_query, 1, kept);
      candidate.geometry.index_heads = static_cast<std::int32_t>(kept.size());
      return std::optional(std::move(candidate));
    });
  }

  bool narrow_dims() {
    if (!data_.index_query) return false;
    return drop(data_.index_query->extent(2), [&](const Indices& kept) {
      GeneratedSelect candidate = data_;
      keep(candidate.index_query, 2, kept);
      keep(candidate.index_key, 1, kept);
      candidate.geometry.index_head_dim = static_cast<std::int32_t>(kept.size());
      return std::optional(std::move(candidate));
    });
  }

  void simplify_scores() {
    if (!data_.scores || data_.index_query) return;
    GeneratedSelect ranked = data_;
    std::map<float, float> rank_of;
    for (const float score : data_.scores->as<float>())
      if (std::isfinite(score)) rank_of.emplace(score, 0.0F);
    float next = 0;
    for (auto& [score, rank] : rank_of) rank = next++;
    for (float& score : ranked.scores->as<float>())
      if (std::isfinite(score)) score = rank_of.at(score);
    if (!take(std::move(ranked))) return;
    for (std::size_t i = 0; i < data_.scores->as<float>().size(); ++i) {
      if (data_.scores->as<float>()[i] == 0) continue;
      GeneratedSelect candidate = data_;
      candidate.scores->as<float>()[i] = 0;
      take(std::move(candidate));
    }
  }

  GeneratedSelect data_;
  const StillFails& still_fails_;
  const MoreTime& more_time_;
};

}  // namespace

GeneratedSelect shrink_data(GeneratedSelect data, const StillFails& still_fails, const MoreTime& more_time) {
  return Shrinker(std::move(data), still_fails, more_time).run();
}

}  // namespace plumbline

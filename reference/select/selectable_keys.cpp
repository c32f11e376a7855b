#include "reference/select/selectable_keys.h"

#include "reference/numeric/decode_row.h"
#include "reference/select/filter_bound.h"

#include <bit>
#include <cmath>
#include <numeric>

namespace plumbline {
namespace {

/// FNV-1a over the values' bits, -0 read as +0. Only narrows the search for equal keys; contents are
/// compared.
std::uint64_t hash_of(std::span<const float> values) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const float value : values)
    hash = (hash ^ std::bit_cast<std::uint32_t>(value + 0.0f)) * 0x100000001B3u;
  return hash;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

SelectableKeys::SelectableKeys(const TensorView& keys, std::span<const std::uint8_t> valid,
                               std::int64_t reach)
    : keys_(keys), finite_end_(reach) {
  std::vector<float> key(static_cast<std::size_t>(dim()));
  std::vector<std::uint64_t> hashes;
  for (std::int64_t block = 0; block < reach; ++block) {
    if (!valid.empty() && valid[static_cast<std::size_t>(block)] == 0) continue;
    decode_row(keys_.dtype, keys_.at(block), keys_.strides[1], key);
    if (!finite(key)) {
      finite_end_ = block;
      break;
    }
    blocks_.push_back(static_cast<std::int32_t>(block));
    windows_.push_back(window_of(key));
    norms_.push_back(norm_above(key));
    hashes.push_back(hash_of(key));
  }
  find_twins(hashes);
}

void SelectableKeys::decode(std::int64_t slot, std::span<float> out) const {
  decode_row(keys_.dtype, keys_.at(block(slot)), keys_.strides[1], out);
}

void SelectableKeys::find_twins(const std::vector<std::uint64_t>& hashes) {
  twins_.resize(hashes.size());
  std::vector<std::int32_t> order(hashes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&hashes](std::int32_t a, std::int32_t b) {
    return hashes[static_cast<std::size_t>(a)] != hashes[static_cast<std::size_t>(b)]
               ? hashes[static_cast<std::size_t>(a)] < hashes[static_cast<std::size_t>(b)]
               : a < b;
  });
  std::vector<float> key(static_cast<std::size_t>(dim())), first(key.size());
  std::int32_t twin = -1;
  for (const std::int32_t slot : order) {
    const bool candidate =
        twin >= 0 && hashes[static_cast<std::size_t>(slot)] == hashes[static_cast<std::size_t>(twin)];
    if (candidate) decode(slot, key);
    if (!candidate || key != first) {  // a collision merely starts another group
      twin = slot;
      decode(twin, first);
    }
    twins_[static_cast<std::size_t>(slot)] = twin;
  }
}

}  // namespace plumbline

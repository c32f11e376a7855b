#include "oracle/judge/tie_census.h"

#include "fixtures/small_float.h"
#include "oracle/judge/tie_census_builder.h"
#include "reference/numeric/key_bits.h"
#include "reference/numeric/ulp.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace plumbline {
namespace {

constexpr int kFinestBits = 12;

std::int64_t float_ulps(float a, float b) {
  const std::int64_t distance =
      ulp_distance(DType::float32, std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b));
  return distance == kUlpNaN ? -1 : distance;
}

float score_of(std::uint32_t key) {
  return std::bit_cast<float>((key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key);
}

/// Population of the bin that holds the k-th largest coarse key, bins of the leading `bits` bits.
std::int64_t cutoff_bin(std::span<const std::int64_t> finest, int bits, std::int64_t k) {
  const std::size_t width = std::size_t{1} << (kFinestBits - bits);
  std::int64_t at_or_above = 0;
  for (std::size_t bin = finest.size(); bin > 0; bin -= width) {
    std::int64_t population = 0;
    for (std::size_t i = bin - width; i < bin; ++i) population += finest[i];
    at_or_above += population;
    if (at_or_above >= k) return population;
  }
  return 0;
}

}  // namespace

// TOPK.md §2 (T1 and the coarse key facts) and ROUTES.md §3.7.
const std::vector<PublishedBuffer>& published_buffers() {
  static const std::vector<PublishedBuffer> buffers = {
      {"vllm persistent <= 8192", 11, 3708, 1, 8192},
      {"vllm persistent 8193..32768", 8, 4096, 8193, 32768},
      {"vllm filtered (rows > 32)", 8, 16384, 1, INT64_MAX},
      {"flashinfer filtered", 8, 16384, 1, INT64_MAX},
      {"sglang topk_v2", 12, 2048, 1, INT64_MAX},
      {"tilelang example", 8, 4096, 1, INT64_MAX},
  };
  return buffers;
}

std::uint16_t coarse_key(float score) {
  std::uint16_t half = 0x7FFF;
  if (score == score) half = encode_float16(static_cast<double>(score));
  return static_cast<std::uint16_t>((half & 0x8000u) != 0 ? ~half : half | 0x8000u);
}

ScoreCensus score_census(std::span<const float> scores, std::int32_t k) {
  std::vector<std::uint32_t> keys(scores.size());
  std::vector<std::int64_t> histogram(std::size_t{1} << kFinestBits);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    keys[i] = score_key(scores[i]);
    ++histogram[coarse_key(scores[i]) >> (16 - kFinestBits)];
  }
  const auto kth = keys.begin() + (k - 1);
  std::nth_element(keys.begin(), kth, keys.end(), std::greater<>());
  const std::uint32_t cutoff = *kth;
  const std::uint32_t runner_up = *std::max_element(kth + 1, keys.end());

  ScoreCensus census;
  census.tied_at_cutoff = cutoff == runner_up;
  census.zero_plateau = census.tied_at_cutoff && cutoff == score_key(0.0f);
  census.tie_class = std::count(keys.begin(), keys.end(), cutoff);
  census.margin_ulp = float_ulps(score_of(cutoff), score_of(runner_up));
  for (const PublishedBuffer& buffer : published_buffers()) {
    census.bins.push_back(cutoff_bin(histogram, buffer.coarse_bits, k));
  }
  return census;
}

void TieCensusBuilder::Ties::add(bool tied, bool zero, std::int64_t size) {
  if (!tied) return;
  ++at_cutoff;
  if (zero) ++zero_plateau;
  largest_class = std::max(largest_class, size);
}

void TieCensusBuilder::add_row(std::int64_t visible, std::int32_t k) {
  ++rows_;
  if (visible > k) ++rows_selecting_;
}

void TieCensusBuilder::add_exact(const CertifiedRow& row) {
  has_exact_ = true;
  if (!row.selects) return;
  exact_.add(row.tied_at_cutoff, row.zero_plateau, row.tie_class_size);
  if (row.cutoff_is_minus_infinity || row.runner_up_is_minus_infinity) return;
  exact_margins_.push_back(float_ulps(row.cutoff.to_float(), row.runner_up.to_float()));
}

void TieCensusBuilder::add_scores(std::int64_t visible, const ScoreCensus& row) {
  has_scores_ = true;
  recorded_.add(row.tied_at_cutoff, row.zero_plateau, row.tie_class);
  recorded_margins_.push_back(row.margin_ulp);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const PublishedBuffer& published = published_buffers()[i];
    if (visible < published.min_blocks || visible > published.max_blocks) continue;
    buffers_[i].serves = true;
    buffers_[i].worst_bin = std::max(buffers_[i].worst_bin, row.bins[i]);
    if (row.bins[i] > published.capacity) ++buffers_[i].rows;
  }
}

TieCensus TieCensusBuilder::finish() const {
  TieCensus census;
  census.rows = rows_;
  census.rows_selecting = rows_selecting_;
  census.has_exact = has_exact_;
  census.has_scores = has_scores_;
  const Ties& ties = has_exact_ ? exact_ : recorded_;
  census.rows_tied_at_cutoff = ties.at_cutoff;
  census.rows_zero_plateau = ties.zero_plateau;
  census.largest_tie_class = ties.largest_class;

  std::vector<std::int64_t> margins = has_scores_ ? recorded_margins_ : exact_margins_;
  std::erase_if(margins, [](std::int64_t margin) { return margin <= 0; });
  if (!margins.empty()) {
    std::sort(margins.begin(), margins.end());
    census.min_margin_ulp = margins.front();
    census.median_margin_ulp = margins[(margins.size() - 1) / 2];
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].serves) continue;
    const PublishedBuffer& published = published_buffers()[i];
    census.overflows.push_back(
        {published.kernel, published.capacity, buffers_[i].rows, buffers_[i].worst_bin});
  }
  return census;
}

}  // namespace plumbline

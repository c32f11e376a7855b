#include "reference/select/filter_queries.h"

#include "reference/select/filter_bound.h"

#include <cmath>

namespace plumbline {

FilterQueries::FilterQueries(const FilterKernel& kernel, std::int64_t heads, std::int64_t dim)
    : kernel_(kernel), heads_(heads), dim_(dim), slack_factor_(slack_factor(dim, heads)) {}

void FilterQueries::reset(std::int64_t rows) {
  const auto padded_heads =
      static_cast<std::size_t>((rows * heads_ + kernel_.heads - 1) / kernel_.heads * kernel_.heads);
  values_.assign(padded_heads * static_cast<std::size_t>(dim_), 0.0f);
  slack_.assign(padded_heads, 0.0f);
  widths_.clear();
}

void FilterQueries::add_row(std::span<const float> query) {
  const auto head_of = [&](std::int64_t head) {
    return query.subspan(static_cast<std::size_t>(head * dim_), static_cast<std::size_t>(dim_));
  };
  double norm_sum = 0;
  for (std::int64_t head = 0; head < heads_; ++head) norm_sum += norm_above(head_of(head));
  const double scale =
      std::ldexp(1.0, -exponent_above(norm_sum) - 1);  // the sum itself may round down a little
  double slack_sum = 0;
  for (std::int64_t head = 0; head < heads_; ++head) {
    const std::int64_t lane = rows() * heads_ + head;
    float* values = values_.data() + lane / kernel_.heads * kernel_.heads * dim_ + lane % kernel_.heads;
    const std::span<const float> from = head_of(head);
    for (std::int64_t d = 0; d < dim_; ++d) {
      values[d * kernel_.heads] = static_cast<float>(from[static_cast<std::size_t>(d)] * scale);
    }
    const double slack = slack_factor_ * bounding_norm(norm_above(from) * scale) * (1 + 0x1p-20);
    slack_[static_cast<std::size_t>(lane)] = static_cast<float>(slack);
    slack_sum += slack;
  }
  widths_.push_back(static_cast<float>(4 * slack_sum * (1 + 0x1p-20)));
}

}  // namespace plumbline

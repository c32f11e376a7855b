#include "oracle/replay/tap_report.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/numeric/ulp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::uint32_t bits_of(DType type, double value) {
  std::uint32_t bits = 0;
  encode_element(type, value, &bits);
  return bits;
}

struct Difference {
  std::int64_t ulp = 0;
  bool same_bits = false;
  double absolute = 0;
};

/// A profile that does not store activations gives unrounded numbers; what is compared is their rounding.
Difference difference_of(DType type, double theirs, double ours) {
  if (!is_floating(type)) {
    const double steps = std::abs(theirs - ours);
    return {static_cast<std::int64_t>(steps), steps == 0, steps};
  }
  const double stored = round_to(type, ours);
  const std::uint32_t a = bits_of(type, theirs), b = bits_of(type, stored);
  return {ulp_distance(type, a, b), a == b, a == b ? 0 : std::abs(theirs - stored)};
}

/// |recorded − ours| / bound; infinite where a difference meets no bound at all, or one that is not finite,
/// or is not a number.
double share_of_bound(double recorded, const Bounded& ours) {
  const double difference = std::abs(recorded - ours.value);
  if (difference == 0) return 0;
  if (!(difference <= std::numeric_limits<double>::max()) || !(ours.error > 0) ||
      !std::isfinite(ours.error)) {
    return std::numeric_limits<double>::infinity();
  }
  return difference / ours.error;
}

UlpHistogram histogram_of(const std::vector<std::int64_t>& distances) {
  UlpHistogram histogram;
  for (const std::int64_t distance : distances) {
    if (distance == kUlpNaN) continue;
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(distance)));
    if (bin >= histogram.size()) histogram.resize(bin + 1);
    ++histogram[bin];
  }
  return histogram;
}

}  // namespace

void add_to(UlpHistogram& histogram, const UlpHistogram& more) {
  histogram.resize(std::max(histogram.size(), more.size()));
  for (std::size_t bin = 0; bin < more.size(); ++bin) histogram[bin] += more[bin];
}

TapComparison::TapComparison(std::string forward, std::string name, std::string operation, DType dtype,
                             std::int64_t rows_per_token)
    : rows_per_token_(rows_per_token) {
  report_.forward = std::move(forward);
  report_.name = std::move(name);
  report_.operation = std::move(operation);
  report_.dtype = dtype;
  report_.used_share = -1;
}

void TapComparison::add(const Rows<Bounded>& ours, const Rows<double>& recorded, std::int64_t batch,
                        std::int64_t first_token) {
  if (ours.rows != recorded.rows || ours.width != recorded.width) {
    throw InputError(fmt::format(
        "/forward/{}/…/{}: expected [{}, {}] numbers of batch row {}, found [{}, {}]", report_.forward,
        report_.name, ours.rows, ours.width, batch, recorded.rows, recorded.width));
  }
  const std::int64_t per_token = ours.width * rows_per_token_;
  for (std::size_t i = 0; i < ours.numbers.size(); ++i) {
    const double theirs = recorded.numbers[i];
    const Difference difference = difference_of(report_.dtype, theirs, ours.numbers[i].value);
    distances_.push_back(difference.ulp);
    report_.bit_equal += difference.same_bits ? 1 : 0;
    // Not a number counts as infinitely far.
    report_.max_abs =
        std::max(report_.max_abs, std::isnan(difference.absolute) ? std::numeric_limits<double>::infinity()
                                                                  : difference.absolute);
    if (!difference.same_bits && std::isfinite(difference.absolute)) {
      const double scale = std::max(scale_of(ours.numbers[i]), std::abs(theirs));
      const double unit = is_floating(report_.dtype) ? ulp_of(report_.dtype, scale) : 1;
      report_.max_partial_ulp = std::max(report_.max_partial_ulp, difference.absolute / unit);
    }
    const double share = share_of_bound(theirs, ours.numbers[i]);
    if (share > 1) ++report_.beyond_bound;
    if (share > report_.used_share) {
      const auto at = static_cast<std::int64_t>(i);
      report_.used_share = share;
      report_.worst = {batch,  first_token + at / per_token, at % per_token,
                       theirs, ours.numbers[i].value,        ours.numbers[i].error};
    }
  }
  for (std::int64_t row = 0; row < ours.rows; ++row) {
    ++report_.rows;
    const auto own = std::ranges::max_element(ours.row(row), {}, [](Bounded number) { return number.value; });
    const auto theirs = std::ranges::max_element(recorded.row(row));
    report_.argmax_equal += own - ours.row(row).begin() == theirs - recorded.row(row).begin() ? 1 : 0;
  }
}

void TapComparison::add_recorded(const Rows<double>& subject, const Rows<double>& recorded) {
  if (subject.numbers.size() != recorded.numbers.size()) {
    throw InputError(fmt::format("/forward/{}/…/{}: expected {} numbers, found {}", report_.forward,
                                 report_.name, subject.numbers.size(), recorded.numbers.size()));
  }
  if (!report_.against_recorded) report_.against_recorded.emplace();
  TapReport::AgainstRecorded& both = *report_.against_recorded;
  for (std::size_t i = 0; i < subject.numbers.size(); ++i) {
    const Difference difference = difference_of(report_.dtype, recorded.numbers[i], subject.numbers[i]);
    ++both.elements;
    both.bit_equal += difference.same_bits ? 1 : 0;
    both.max_ulp = std::max(both.max_ulp, difference.ulp);
  }
}

TapReport TapComparison::report() const {
  TapReport report = report_;
  report.used_share = std::max(report.used_share, 0.0);
  report.elements = static_cast<std::int64_t>(distances_.size());
  if (distances_.empty()) return report;
  report.ulp_histogram = histogram_of(distances_);
  std::vector<std::int64_t> sorted = distances_;
  std::sort(sorted.begin(), sorted.end());
  report.max_ulp = sorted.back();
  report.p99_ulp = sorted[(sorted.size() - 1) * 99 / 100];
  return report;
}

}  // namespace plumbline

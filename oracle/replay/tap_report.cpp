#include "oracle/replay/tap_report.h"

#include "fixtures/small_float.h"
#include "reference/numeric/ulp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plumbline {
namespace {

std::uint32_t bits_of(DType type, double value) {
  std::uint32_t bits = 0;
  encode_element(type, value, &bits);
  return bits;
}

/// |recorded − ours| / bound; infinite where a difference meets no bound at all, or is not a number.
double share_of_bound(double recorded, const Bounded& ours) {
  const double difference = std::abs(recorded - ours.value);
  if (difference == 0) return 0;
  if (!(difference <= std::numeric_limits<double>::max()) || ours.error == 0) {
    return std::numeric_limits<double>::infinity();
  }
  return difference / ours.error;
}

}  // namespace

TapComparison::TapComparison(std::string forward, std::string name, std::string operation, DType dtype) {
  report_.forward = std::move(forward);
  report_.name = std::move(name);
  report_.operation = std::move(operation);
  report_.dtype = dtype;
  report_.used_share = -1;
}

void TapComparison::add(const Rows<Bounded>& ours, const Rows<double>& recorded, std::int64_t batch,
                        std::int64_t first_token) {
  for (std::size_t i = 0; i < ours.numbers.size(); ++i) {
    const double theirs = recorded.numbers[i];
    // A profile that does not store activations gives unrounded numbers; what is compared is their rounding.
    const double stored = round_to(report_.dtype, ours.numbers[i].value);
    const std::int64_t distance =
        ulp_distance(report_.dtype, bits_of(report_.dtype, theirs), bits_of(report_.dtype, stored));
    distances_.push_back(distance);
    report_.bit_equal += bits_of(report_.dtype, theirs) == bits_of(report_.dtype, stored) ? 1 : 0;
    const double share = share_of_bound(theirs, ours.numbers[i]);
    if (share > 1) ++report_.beyond_bound;
    if (share > report_.used_share) {
      const auto at = static_cast<std::int64_t>(i);
      report_.used_share = share;
      report_.worst = {batch,  first_token + at / ours.width, at % ours.width,
                       theirs, ours.numbers[i].value,         ours.numbers[i].error};
    }
  }
}

TapReport TapComparison::report() const {
  TapReport report = report_;
  report.used_share = std::max(report.used_share, 0.0);
  report.elements = static_cast<std::int64_t>(distances_.size());
  if (distances_.empty()) return report;
  std::vector<std::int64_t> sorted = distances_;
  std::sort(sorted.begin(), sorted.end());
  report.max_ulp = sorted.back();
  report.p99_ulp = sorted[(sorted.size() - 1) * 99 / 100];
  return report;
}

}  // namespace plumbline

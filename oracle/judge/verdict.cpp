#include "oracle/judge/verdict.h"

#include <numeric>

namespace plumbline {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::canonical:
      return "canonical";
    case Verdict::order_only:
      return "order_only";
    case Verdict::tie_only:
      return "tie_only";
    case Verdict::rounding:
      return "rounding";
    case Verdict::value_error:
      return "value_error";
    case Verdict::structural:
      return "structural";
  }
  return "?";
}

std::int64_t VerdictCounts::total() const {
  return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

}  // namespace plumbline

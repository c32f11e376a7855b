#include "fixtures/error.h"
#include "oracle/plugin/shrink.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace plumbline {
namespace {

struct Size {
  std::int64_t least;
  std::int64_t (*get)(const CaseSpec&);
  void (*set)(CaseSpec&, std::int64_t);
};

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

// Rows first: they multiply the time of every later attempt.
const std::array kSizes = {
    Size{1, [](const CaseSpec& s) { return s.rows; }, [](CaseSpec& s, std::int64_t n) { s.rows = n; }},
    Size{1, [](const CaseSpec& s) { return s.requests; },
         [](CaseSpec& s, std::int64_t n) { s.requests = n; }},
    Size{1, [](const CaseSpec& s) { return std::int64_t{s.geometry.block_topk}; },
         [](CaseSpec& s, std::int64_t n) { s.geometry.block_topk = narrow(n); }},
    Size{1, [](const CaseSpec& s) { return s.blocks; }, [](CaseSpec& s, std::int64_t n) { s.blocks = n; }},
    Size{1, [](const CaseSpec& s) { return std::int64_t{s.geometry.index_heads}; },
         [](CaseSpec& s, std::int64_t n) { s.geometry.index_heads = narrow(n); }},
    Size{1, [](const CaseSpec& s) { return std::int64_t{s.geometry.index_head_dim}; },
         [](CaseSpec& s, std::int64_t n) { s.geometry.index_head_dim = narrow(n); }},
    Size{1, [](const CaseSpec& s) { return s.page_size; },
         [](CaseSpec& s, std::int64_t n) { s.page_size = n; }},
    Size{1, [](const CaseSpec& s) { return std::int64_t{s.geometry.compress_ratio}; },
         [](CaseSpec& s, std::int64_t n) { s.geometry.compress_ratio = narrow(n); }},
};

bool fails(const CaseSpec& spec, const SpecStillFails& still_fails) {
  try {
    check_limits(spec);
    return still_fails(spec);
  } catch (const InputError&) {
    return false;  // the family cannot be that small
  }
}

bool shrink_size(const Size& size, CaseSpec& spec, const SpecStillFails& still_fails,
                 const MoreTime& more_time) {
  bool smaller = false;
  for (bool progress = true; progress;) {
    progress = false;
    const std::int64_t now = size.get(spec);
    for (const std::int64_t wanted : {size.least, now / 2, now - 1}) {
      if (wanted < size.least || wanted >= now || !more_time()) continue;
      CaseSpec candidate = spec;
      size.set(candidate, wanted);
      if (!fails(candidate, still_fails)) continue;
      spec = candidate;
      smaller = progress = true;
      break;
    }
  }
  return smaller;
}

}  // namespace

CaseSpec shrink_spec(CaseSpec spec, const SpecStillFails& still_fails, const MoreTime& more_time) {
  for (bool progress = true; progress && more_time();) {
    progress = false;
    for (const Size& size : kSizes)
      if (shrink_size(size, spec, still_fails, more_time)) progress = true;
  }
  return spec;
}

}  // namespace plumbline

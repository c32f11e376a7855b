#include "oracle/plugin/draw_case.h"

#include "fixtures/cases/families/family.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace plumbline {
namespace {

template <std::size_t N>
std::int64_t one_of(const std::array<std::int64_t, N>& values, Random& random) {
  return values[static_cast<std::size_t>(random.below(N))];
}

constexpr std::array<std::int64_t, 12> kTopk = {1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 100, 128};
constexpr std::array<std::int64_t, 8> kRows = {1, 2, 3, 5, 8, 17, 33, 64};
constexpr std::array<std::int64_t, 6> kHeads = {1, 2, 3, 4, 4, 8};
constexpr std::array<std::int64_t, 8> kDims = {1, 3, 8, 16, 64, 127, 128, 129};
constexpr std::array<std::int64_t, 6> kPages = {1, 4, 16, 16, 51, 64};

std::int64_t draw_blocks(std::int64_t topk, Random& random) {
  switch (random.below(4)) {
    case 0:  // around the number of winners
      return std::max<std::int64_t>(1, topk - 1 + static_cast<std::int64_t>(random.below(5)));
    case 1: {  // around a power of two
      const std::int64_t power = std::int64_t{1} << (3 + random.below(9));
      return std::max<std::int64_t>(1, power - 1 + static_cast<std::int64_t>(random.below(3)));
    }
    case 2:
      return topk + 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(3 * topk)));
    default:
      return 1 + static_cast<std::int64_t>(random.below(2500));
  }
}

void draw_params(CaseSpec& spec, Random& random) {
  const Family* family = find_family(spec.family);
  if (family == nullptr) return;
  for (const ParamRule& rule : family->rules)
    if (!rule.words.empty() && random.below(2) == 0)
      spec.params[rule.name] = rule.words[static_cast<std::size_t>(random.below(rule.words.size()))];
}

}  // namespace

CaseSpec draw_case(const CaseSpec& base, bool model_geometry, Random random) {
  CaseSpec spec = base;
  spec.seed = random.next() % 1'000'000;
  spec.geometry_seed = random.next() % 1'000'000;
  spec.rows = one_of(kRows, random);
  if (model_geometry) {
    spec.geometry = SelectGeometry{};
  } else {
    spec.geometry.block_topk = static_cast<std::int32_t>(one_of(kTopk, random));
    spec.geometry.index_heads = static_cast<std::int32_t>(one_of(kHeads, random));
    spec.geometry.index_head_dim = static_cast<std::int32_t>(one_of(kDims, random));
    spec.page_size = one_of(kPages, random);
  }
  spec.blocks = draw_blocks(spec.geometry.block_topk, random);
  if (random.below(3) == 0) spec.dtype = random.below(2) == 0 ? DType::bfloat16 : DType::float16;
  if (spec.kind == CaseSpec::Kind::paged) {
    spec.requests = 1 + static_cast<std::int64_t>(random.below(5));
    if (random.below(3) == 0) spec.positions = DType::int32;
  }
  draw_params(spec, random);
  return spec;
}

}  // namespace plumbline

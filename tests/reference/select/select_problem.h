#pragma once

#include "fixtures/small_float.h"
#include "fixtures/subject.h"
#include "reference/numeric/ulp.h"
#include "reference/select/certified_select.h"
#include "tests/reference/numeric/float_codes.h"

#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include <rapidcheck.h>

namespace plumbline::testing {

/// What makes a selection hard.
enum class Difficulty {
  spread,      ///< small random multiples: mostly distinct scores, some ties
  coarse,      ///< elements of {-1, 0, 1}: large tie classes
  plateau,     ///< hardly a positive score, zeros of both signs
  near_ties,   ///< one key, changed in the last digit of one element
  constant,    ///< all keys alike
  magnitudes,  ///< keys scaled by powers of two over the whole range of the type
  cancelling,  ///< products that cancel to almost nothing
};
inline const std::vector<Difficulty> kDifficulties = {
    Difficulty::spread,   Difficulty::coarse,     Difficulty::plateau,   Difficulty::near_ties,
    Difficulty::constant, Difficulty::magnitudes, Difficulty::cancelling};

/// Owned inputs of one selection.
struct SelectProblem {
  SelectGeometry geometry;
  Tensor query, key, visible;
  std::vector<std::uint8_t> key_valid;  // empty: all valid

  SelectInputs inputs() const {
    SelectInputs inputs;
    inputs.geometry = geometry;
    inputs.rows = query.extent(0);
    inputs.blocks = key.extent(0);
    inputs.index_query = query.view();
    inputs.index_key = key.view();
    inputs.visible_blocks = visible.view();
    return inputs;
  }
  void set_key(std::int64_t block, std::int64_t element, double value) {
    encode_element(
        key.dtype, value,
        key.bytes.data() + static_cast<std::size_t>(block * key.extent(1) + element) * size_of(key.dtype));
  }
  void set_visible(std::int64_t row, std::int32_t count) {
    visible.as<std::int32_t>()[static_cast<std::size_t>(row)] = count;
  }
};

inline void showValue(const SelectProblem& problem, std::ostream& os) {
  os << "heads " << problem.geometry.index_heads << ", dim " << problem.geometry.index_head_dim << ", k "
     << problem.geometry.block_topk << ", query " << name_of(problem.query.dtype)
     << to_string(problem.query.shape) << ", key " << name_of(problem.key.dtype)
     << to_string(problem.key.shape) << ", invalid keys " << !problem.key_valid.empty();
}

/// A small pseudo-random stream, seeded by RapidCheck, so that large tensors do not cost large shrink trees.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 2 + 1) {}
  /// Uniform in [low, high].
  int between(int low, int high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

inline double key_element(Difficulty difficulty, Draw& draw, std::int64_t element) {
  switch (difficulty) {
    case Difficulty::spread:
    case Difficulty::magnitudes:
      return draw.between(-15, 15) / 8.0;
    case Difficulty::coarse:
      return draw.between(-1, 1);
    case Difficulty::plateau:
      return draw.between(0, 9) == 0 ? -0.0 : -draw.between(0, 3);
    case Difficulty::near_ties:
    case Difficulty::constant:
      return element % 2 == 0 ? 1 : 0.5;
    case Difficulty::cancelling:
      return (element % 2 == 0 ? 1 : -1) * (1 + 0.125 * draw.between(0, 1));
  }
  return 0;
}

inline SelectProblem draw_problem(Difficulty difficulty, DType query_type, DType key_type, std::int64_t rows,
                                  std::int64_t blocks, SelectGeometry geometry, std::uint64_t seed) {
  Draw draw(seed);
  const std::int64_t heads = geometry.index_heads, dim = geometry.index_head_dim;
  SelectProblem problem{geometry,
                        Tensor(query_type, {rows, heads, dim}),
                        Tensor(key_type, {blocks, dim}),
                        Tensor(DType::int32, {rows}),
                        {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows * heads * dim); ++i) {
    double value = draw.between(-8, 8) / 4.0;
    if (difficulty == Difficulty::plateau) value = draw.between(0, 40) == 0 ? -0.25 : draw.between(0, 4);
    if (difficulty == Difficulty::cancelling) value = 1;
    encode_element(query_type, value, problem.query.bytes.data() + i * size_of(query_type));
  }
  for (std::int64_t block = 0; block < blocks; ++block) {
    const int reach = key_type == DType::float32 || key_type == DType::bfloat16 ? 110
                      : key_type == DType::float16                              ? 10
                                                                                : 4;
    const double scale =
        difficulty == Difficulty::magnitudes ? std::ldexp(1.0, draw.between(-reach, reach)) : 1;
    for (std::int64_t element = 0; element < dim; ++element) {
      problem.set_key(block, element, scale * key_element(difficulty, draw, element));
    }
    if (difficulty == Difficulty::near_ties && draw.between(0, 3) != 0) {
      problem.set_key(block, draw.between(0, static_cast<int>(dim) - 1),
                      1 + draw.between(-1, 1) * ulp_of(key_type, 1));
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    problem.set_visible(row, draw.between(-1, static_cast<int>(blocks) + 1));
  }
  return problem;
}

/// A problem of drawn size, types and difficulty; with some keys invalid, or NaN, where asked for.
inline SelectProblem any_problem(std::int64_t max_blocks = 120) {
  SelectGeometry geometry;
  geometry.index_heads = *rc::gen::elementOf(std::vector<std::int32_t>{1, 2, 3, 4, 5, 8, 13});
  geometry.index_head_dim = *rc::gen::inRange(1, 40);
  geometry.block_topk = *rc::gen::inRange(1, 20);
  const std::uint64_t seed = *rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
  SelectProblem problem =
      draw_problem(*rc::gen::elementOf(kDifficulties), *rc::gen::elementOf(floating_types()),
                   *rc::gen::elementOf(floating_types()), *rc::gen::inRange(1, 9),
                   *rc::gen::inRange(std::int64_t{0}, max_blocks), geometry, seed);
  Draw draw(seed ^ 0x5EED);
  const std::int64_t blocks = problem.key.extent(0);
  if (*rc::gen::inRange(0, 3) == 0) {
    const int share = draw.between(1, 20);
    for (std::int64_t block = 0; block < blocks; ++block) {
      problem.key_valid.push_back(draw.between(1, 20) > share ? 1 : 0);
      if (problem.key_valid.back() == 0) problem.set_key(block, 0, std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (blocks > 0 && *rc::gen::inRange(0, 3) == 0) {
    problem.set_key(draw.between(0, static_cast<int>(blocks) - 1), 0,
                    std::numeric_limits<double>::quiet_NaN());
  }
  return problem;
}

}  // namespace plumbline::testing

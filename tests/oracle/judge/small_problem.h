#pragma once

#include "fixtures/small_float.h"
#include "fixtures/subject.h"
#include "oracle/judge/judge_selection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::testing_judge {

/// A selection problem of small integers, whose exact scores fit int64, with everything a claim needs.
struct SmallProblem {
  SelectGeometry geometry;
  std::int64_t rows = 0, blocks = 0;
  std::vector<std::int64_t> query, key;  ///< [rows, heads, dim], [blocks, dim]; magnitudes below 2^12
  std::vector<std::int32_t> visible;     ///< [rows]
  std::vector<std::int32_t> claimed;     ///< [rows, k]
  std::vector<float> recorded;           ///< [rows, blocks] or empty
  std::vector<std::uint8_t> key_valid;   ///< [blocks] or empty

  std::int64_t n(std::int64_t row) const {
    const std::int64_t count = visible[static_cast<std::size_t>(row)];
    return count < 0 ? 0 : (count > blocks ? blocks : count);
  }
  std::int64_t dot(std::int64_t row, std::int64_t head, std::int64_t block, bool magnitude) const {
    std::int64_t sum = 0;
    for (std::int64_t d = 0; d < geometry.index_head_dim; ++d) {
      const std::int64_t product =
          query[static_cast<std::size_t>((row * geometry.index_heads + head) * geometry.index_head_dim + d)] *
          key[static_cast<std::size_t>(block * geometry.index_head_dim + d)];
      sum += magnitude && product < 0 ? -product : product;
    }
    return sum;
  }
  std::int64_t score(std::int64_t row, std::int64_t block) const {
    std::int64_t sum = 0;
    for (std::int64_t head = 0; head < geometry.index_heads; ++head) {
      const std::int64_t value = dot(row, head, block, false);
      if (value > 0) sum += value;
    }
    return sum;
  }
  std::int64_t magnitude(std::int64_t row, std::int64_t block) const {
    std::int64_t sum = 0;
    for (std::int64_t head = 0; head < geometry.index_heads; ++head) sum += dot(row, head, block, true);
    return sum;
  }
};

inline Tensor tensor_of(DType type, Shape shape, const std::vector<std::int64_t>& values) {
  Tensor tensor(type, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    encode_element(type, static_cast<double>(values[i]), tensor.bytes.data() + i * size_of(type));
  }
  return tensor;
}

/// The problem as tensors and callbacks.
class Claim {
 public:
  explicit Claim(const SmallProblem& problem, bool with_inputs = true, DType type = DType::float32)
      : problem_(problem),
        query_(tensor_of(type, {problem.rows, problem.geometry.index_heads, problem.geometry.index_head_dim},
                         problem.query)),
        key_(tensor_of(type, {problem.blocks, problem.geometry.index_head_dim}, problem.key)),
        visible_(DType::int32, {problem.rows}) {
    std::copy(problem.visible.begin(), problem.visible.end(), visible_.as<std::int32_t>().begin());
    inputs_.geometry = problem.geometry;
    inputs_.rows = problem.rows;
    inputs_.blocks = problem.blocks;
    if (with_inputs) {
      inputs_.index_query = query_.view();
      inputs_.index_key = key_.view();
    }
    inputs_.visible_blocks = visible_.view();
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  const SelectInputs& inputs() const { return inputs_; }
  Tensor& query() { return query_; }
  Tensor& key() { return key_; }

  SelectionClaim claim() const {
    SelectionClaim claim;
    claim.inputs = &inputs_;
    claim.key_valid = problem_.key_valid;
    claim.claimed = [this](std::int64_t first, std::int64_t count, std::span<std::int32_t> out) {
      const std::int64_t k = problem_.geometry.block_topk;
      std::copy_n(problem_.claimed.begin() + first * k, count * k, out.begin());
    };
    if (!problem_.recorded.empty()) {
      claim.scores = [this](std::int64_t first, std::int64_t count, std::span<float> out) {
        std::copy_n(problem_.recorded.begin() + first * problem_.blocks, count * problem_.blocks,
                    out.begin());
      };
    }
    return claim;
  }

  SelectionReport judge(JudgeOptions options = {}) const { return judge_selection(claim(), options); }

 private:
  const SmallProblem& problem_;
  Tensor query_, key_, visible_;
  SelectInputs inputs_;
};

/// Everything a report says, for comparison.
std::string text_of(const SelectionReport& report);

}  // namespace plumbline::testing_judge

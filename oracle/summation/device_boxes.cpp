#include "oracle/summation/device_boxes.h"

#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline {
namespace {

constexpr double kFactor = 0x1p15;
constexpr double kNarrowMask = 0x1p30;  // two float16 factors

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void fill(Tensor& tensor, std::int64_t first, std::int64_t count, double value) {
  const std::size_t size = size_of(tensor.dtype);
  for (std::int64_t i = first; i < first + count; ++i)
    encode_element(tensor.dtype, value, tensor.bytes.data() + at(i) * size);
}

/// Rows of terms as columns of calls of a fixed shape; what is left over is zero.
class ShapedBox : public SumBox {
 public:
  ShapedBox(std::string name, const CallShape& shape) : shape_(shape), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::int64_t terms() const override { return shape_.inner; }

  std::vector<double> sums(std::span<const float> rows) override {
    std::vector<double> all;
    const std::int64_t count = std::ssize(rows) / shape_.inner;
    for (std::int64_t first = 0; first < count; first += shape_.columns) {
      const std::int64_t here = std::min(shape_.columns, count - first);
      Tensor columns(shape_.type, {shape_.columns, shape_.inner});
      for (std::int64_t i = 0; i < here * shape_.inner; ++i)
        encode_element(shape_.type, rows[at(first * shape_.inner + i)] / kFactor,
                       columns.bytes.data() + at(i) * size_of(shape_.type));
      const std::vector<double> some = call(columns);
      all.insert(all.end(), some.begin(), some.begin() + here);
    }
    return all;
  }

 protected:
  /// The sum of each column.
  virtual std::vector<double> call(const Tensor& columns) = 0;
  CallShape shape_;

 private:
  std::string name_;
};

class ProductBox final : public ShapedBox {
 public:
  ProductBox(std::shared_ptr<ProductSubject> subject, const CallShape& shape)
      : ShapedBox(subject->name(), shape), subject_(std::move(subject)) {}
  bool gives_bits() const override { return true; }

 protected:
  std::vector<double> call(const Tensor& columns) override {
    Tensor left(shape_.type, {1, shape_.rows, shape_.inner});
    fill(left, 0, shape_.rows * shape_.inner, kFactor);
    TensorView right = columns.view();
    right.shape.insert(right.shape.begin(), 1);
    right.strides.insert(right.strides.begin(), shape_.columns * shape_.inner);
    const Tensor out = subject_->multiply(left.view(), right);
    const auto row = out.as<float>().subspan(0, at(shape_.columns));
    return {row.begin(), row.end()};
  }

 private:
  std::shared_ptr<ProductSubject> subject_;
};

class ScoreBox final : public ShapedBox {
 public:
  using Scores = std::function<Tensor(const SelectInputs&)>;
  ScoreBox(std::string name, Scores scores, const CallShape& shape, double mask)
      : ShapedBox(std::move(name), shape), scores_(std::move(scores)), mask_(mask) {}
  double mask() const override { return mask_; }

 protected:
  std::vector<double> call(const Tensor& columns) override {
    SelectInputs inputs;
    inputs.geometry.index_head_dim = static_cast<std::int32_t>(shape_.inner);
    inputs.rows = shape_.rows;
    inputs.blocks = shape_.columns;
    const std::int64_t heads = inputs.geometry.index_heads;
    Tensor query(shape_.type, {shape_.rows, heads, shape_.inner}), visible(DType::int32, {shape_.rows});
    for (std::int64_t r = 0; r < shape_.rows; ++r) {
      fill(query, r * heads * shape_.inner, shape_.inner, kFactor);
      fill(query, (r * heads + 1) * shape_.inner, shape_.inner, -kFactor);
      visible.as<std::int32_t>()[at(r)] = static_cast<std::int32_t>(shape_.columns);
    }
    inputs.index_query = query.view();
    inputs.index_key = columns.view();
    inputs.visible_blocks = visible.view();
    const Tensor scores = scores_(inputs);
    const auto row = scores.as<float>().subspan(0, at(shape_.columns));
    std::vector<double> all(row.begin(), row.end());
    for (double& score : all) score *= std::sqrt(static_cast<double>(shape_.inner));
    return all;
  }

 private:
  Scores scores_;
  double mask_;
};

}  // namespace

std::unique_ptr<SumBox> product_box(std::shared_ptr<ProductSubject> subject, const CallShape& shape) {
  return std::make_unique<ProductBox>(std::move(subject), shape);
}

std::unique_ptr<SumBox> score_box(std::shared_ptr<SelectSubject> subject, const CallShape& shape) {
  const auto scores = [subject](const SelectInputs& inputs) {
    SelectOutputs outputs = subject->select(inputs);
    if (!outputs.scores) throw UnsupportedCase(subject->name() + " writes no scores");
    return std::move(*outputs.scores);
  };
  return std::make_unique<ScoreBox>(subject->name(), scores, shape, kNarrowMask);
}

std::unique_ptr<SumBox> scorer_box(std::string name, std::function<Tensor(const SelectInputs&)> scores,
                                   const CallShape& shape) {
  const double mask = shape.type == DType::float16 ? kNarrowMask : 0x1p60;
  return std::make_unique<ScoreBox>(std::move(name), std::move(scores), shape, mask);
}

}  // namespace plumbline

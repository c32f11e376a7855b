#include "oracle/judge/indexer_error_model.h"

#include <cmath>

namespace plumbline {
namespace {

class InputErrorModel final : public ErrorModel {
 public:
  InputErrorModel(const BoundedTensor& queries, const BoundedTensor& keys)
      : queries_(queries),
        keys_(keys),
        heads_(queries.tensor.extent(1)),
        dim_(queries.tensor.extent(2)),
        float32_(float32_any_order(heads_, dim_)) {}

  std::string name() const override { return "float32_any_order+inputs"; }
  std::string derivation() const override {
    return float32_->derivation() +
           ", on an engine's query and key that differ from ours: + Σ|q|e_k + |k|e_q + e_q·e_k";
  }

  double bound(const TensorView& query, const TensorView& key, double magnitude) const override {
    const double inherited = propagated(first_element(query, queries_), first_element(key, keys_));
    return (float32_->bound(query, key, magnitude + inherited) + inherited) * (1 + 0x1p-50);
  }

 private:
  static std::int64_t first_element(const TensorView& view, const BoundedTensor& owner) {
    return (view.data - owner.tensor.bytes.data()) / static_cast<std::int64_t>(size_of(owner.tensor.dtype));
  }

  double propagated(std::int64_t query, std::int64_t key) const {
    double sum = 0;
    for (std::int64_t head = 0; head < heads_; ++head) {
      for (std::int64_t d = 0; d < dim_; ++d) {
        const Bounded q = queries_.at(query + head * dim_ + d), k = keys_.at(key + d);
        sum += std::abs(q.value) * k.error + std::abs(k.value) * q.error + q.error * k.error;
      }
    }
    return sum * (1 + static_cast<double>(heads_ * dim_ + 4) * 0x1p-52);
  }

  const BoundedTensor &queries_, &keys_;
  std::int64_t heads_, dim_;
  std::unique_ptr<ErrorModel> float32_;
};

}  // namespace

std::unique_ptr<ErrorModel> float32_any_order_and_inputs(const BoundedTensor& queries,
                                                         const BoundedTensor& keys) {
  return std::make_unique<InputErrorModel>(queries, keys);
}

}  // namespace plumbline

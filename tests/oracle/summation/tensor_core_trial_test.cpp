#include "oracle/summation/tensor_core_trial.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// Multiplies as a model does, with one of its parameters changed.
class ModelledUnit final : public ProductSubject {
 public:
  explicit ModelledUnit(TensorCoreStep step) : step_(step) {}
  std::string name() const override { return "modelled"; }
  Tensor multiply(const TensorView& a, const TensorView& b) override {
    const std::int64_t batch = a.extent(0), m = a.extent(1), n = b.extent(1), k = a.extent(2);
    const auto row = [k](const TensorView& view, std::int64_t entry, std::int64_t i) {
      std::vector<float> values;
      for (std::int64_t d = 0; d < k; ++d)
        values.push_back(static_cast<float>(decode_element(view.dtype, view.at(entry, i, d))));
      return values;
    };
    Tensor out(DType::float32, {batch, m, n});
    for (std::int64_t i = 0; i < batch * m * n; ++i)
      out.as<float>()[static_cast<std::size_t>(i)] =
          tensor_core_dot(step_, a.dtype, row(a, i / (m * n), i / n % m), row(b, i / (m * n), i % n));
    return out;
  }

 private:
  TensorCoreStep step_;
};

TensorCoreTrial tried(TensorCoreStep step) {
  ModelledUnit unit(step);
  return try_tensor_core(unit, "9.0", 3000, 1);
}

TEST(TensorCoreTrial, FindsNoWrongBitInTheUnitItModels) {
  const TensorCoreTrial trial = tried({16, 25, 23});
  EXPECT_EQ(trial.wrong(), 0);
  EXPECT_EQ(trial.tallies.size(), 14u);  // seven kinds of numbers in two types
  EXPECT_GE(trial.dots(), 2 * 3000);
}

TEST(TensorCoreTrial, SeesEveryParameterThatIsAnother) {
  for (const TensorCoreStep& other : {TensorCoreStep{16, 24, 23}, TensorCoreStep{16, 26, 23},
                                      TensorCoreStep{8, 25, 23}, TensorCoreStep{16, 25, 22}})
    EXPECT_GT(tried(other).wrong(), 100)
        << other.terms << " " << other.fraction_bits << " " << other.result_bits;
}

TEST(TensorCoreTrial, ItsNumbersTellAModelWithABitLessOrMore) {
  for (const TensorCoreTally& tally : tried({16, 25, 23}).tallies) {
    EXPECT_GT(tally.wrong_with_less, 0) << name_of(tally.type) << " " << tally.numbers;
    EXPECT_GT(tally.nonzero, tally.dots / 4) << name_of(tally.type) << " " << tally.numbers;
  }
}

TEST(TensorCoreTrial, RefusesACapabilityWithoutAModel) {
  ModelledUnit unit({16, 25, 23});
  EXPECT_THROW((void)try_tensor_core(unit, "12.0", 1, 1), InputError);
}

}  // namespace
}  // namespace plumbline

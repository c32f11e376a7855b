#include "fixtures/small_float.h"
#include "oracle/judge/error_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// The arithmetic the models bound, written out bit by bit: align to the largest exponent, cut, add, cut.
struct Unit {
  const char* capability;
  DType dtype;
  std::int64_t step;
  int fraction_bits;
  int result_bits;
};

constexpr Unit kUnits[] = {
    {"7.0", DType::float16, 4, 23, 23},        {"7.5", DType::float16, 8, 24, 23},
    {"8.0", DType::float16, 8, 24, 23},        {"8.0", DType::bfloat16, 8, 24, 23},
    {"8.6", DType::bfloat16, 8, 24, 23},       {"8.9", DType::float16, 8, 24, 23},
    {"8.9", DType::float8_e4m3fn, 16, 13, 13}, {"9.0", DType::float16, 16, 25, 23},
    {"9.0", DType::bfloat16, 16, 25, 23},      {"9.0", DType::float8_e4m3fn, 32, 13, 13},
    {"9.0", DType::float8_e5m2, 32, 13, 13},
};

int floor_exponent(double value, int smallest) {
  if (value == 0) return -126;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::max(exponent - 1, smallest);
}

int smallest_exponent(DType type) {
  return type == DType::float16 || type == DType::float8_e5m2 ? -14
                                                              : (type == DType::float8_e4m3fn ? -6 : -126);
}

double cut(double value, int unit_exponent) {
  return std::ldexp(std::trunc(std::ldexp(value, -unit_exponent)), unit_exponent);
}

double emulated_head(const Unit& unit, const std::vector<double>& query, const std::vector<double>& key) {
  const int smallest = smallest_exponent(unit.dtype);
  double accumulator = 0;
  for (std::size_t first = 0; first < key.size(); first += static_cast<std::size_t>(unit.step)) {
    const std::size_t last = std::min(key.size(), first + static_cast<std::size_t>(unit.step));
    int largest = floor_exponent(accumulator, -126);
    for (std::size_t d = first; d < last; ++d) {
      largest = std::max(largest, floor_exponent(query[d], smallest) + floor_exponent(key[d], smallest));
    }
    double sum = cut(accumulator, largest - unit.fraction_bits);
    for (std::size_t d = first; d < last; ++d) sum += cut(query[d] * key[d], largest - unit.fraction_bits);
    const int result_exponent = floor_exponent(sum, -126);
    accumulator = cut(sum, std::max(result_exponent - unit.result_bits, -149));
  }
  return accumulator;
}

struct Problem {
  std::int64_t heads = 4, dim = 128;
  std::vector<double> query, key;  ///< multiples of 2^-24 below 2^16, representable in the unit's type

  std::vector<double> head(std::int64_t h) const {
    return {query.begin() + h * dim, query.begin() + (h + 1) * dim};
  }
};

float emulated_score(const Unit& unit, const Problem& problem) {
  float sum = 0;
  for (std::int64_t h = 0; h < problem.heads; ++h) {
    sum += std::max(0.0f, static_cast<float>(emulated_head(unit, problem.head(h), problem.key)));
  }
  return sum;
}

/// |emulated − exact|, the exact score as an integer multiple of 2^-48.
double error_of(const Unit& unit, const Problem& problem) {
  const auto scaled = [](double value) { return static_cast<std::int64_t>(std::ldexp(value, 24)); };
  __int128 exact = 0;
  for (std::int64_t h = 0; h < problem.heads; ++h) {
    const std::vector<double> query = problem.head(h);
    __int128 dot = 0;
    for (std::size_t d = 0; d < query.size(); ++d) {
      dot += static_cast<__int128>(scaled(query[d])) * scaled(problem.key[d]);
    }
    if (dot > 0) exact += dot;
  }
  const double score = static_cast<double>(emulated_score(unit, problem));
  // The score is a float32: its integer part and its fraction are exact multiples too.
  const double whole = std::trunc(score);
  const __int128 computed =
      (static_cast<__int128>(whole) << 48) + static_cast<__int128>(std::ldexp(score - whole, 48));
  return std::ldexp(std::abs(static_cast<double>(computed - exact)), -48);
}

Tensor stored(DType type, Shape shape, const std::vector<double>& values) {
  Tensor tensor(type, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    encode_element(type, values[i], tensor.bytes.data() + i * size_of(type));
  }
  return tensor;
}

double bound_of(const Unit& unit, const Problem& problem) {
  const auto model = tensor_core(unit.capability, problem.heads, problem.dim);
  const Tensor query = stored(unit.dtype, {problem.heads, problem.dim}, problem.query);
  const Tensor key = stored(unit.dtype, {problem.dim}, problem.key);
  return model->bound(query.view(), key.view(), std::numeric_limits<double>::quiet_NaN());
}

class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 7) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

/// A value of the type that is a multiple of 2^-24, over `octaves` binades below 8, signed.
double value_of(DType type, Stream& stream, int octaves) {
  const double magnitude = static_cast<double>(1024 + stream.below(1024)) / 1024.0;
  const double value =
      std::ldexp(magnitude, 2 - static_cast<int>(stream.below(static_cast<std::uint64_t>(octaves))));
  const double rounded = round_to(type, stream.below(2) == 0 ? value : -value);
  return std::ldexp(std::trunc(std::ldexp(rounded, 24)), -24) == rounded ? rounded : 0.0;
}

TEST(TensorCoreModel, HoldsForRandomInputsOfEveryUnit) {
  for (const Unit& unit : kUnits) {
    double closest = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      Stream stream(seed);
      Problem problem;
      problem.dim = seed % 3 == 0 ? 128 : 1 + static_cast<std::int64_t>(stream.below(130));
      const int octaves = 1 + static_cast<int>(stream.below(20));
      for (std::int64_t i = 0; i < problem.heads * problem.dim; ++i) {
        problem.query.push_back(value_of(unit.dtype, stream, octaves));
      }
      for (std::int64_t i = 0; i < problem.dim; ++i)
        problem.key.push_back(value_of(unit.dtype, stream, octaves));
      const double error = error_of(unit, problem), bound = bound_of(unit, problem);
      ASSERT_LE(error, bound) << unit.capability << " " << name_of(unit.dtype) << " seed " << seed;
      closest = std::max(closest, error / bound);
    }
    EXPECT_GT(closest, 0.01) << unit.capability << " " << name_of(unit.dtype);  // the cuts do occur
  }
}

// A product of 1 and, in every other place, products just below one alignment unit: each of them is lost.
TEST(TensorCoreModel, IsReachedWithinAFactorOfTwoWhenAlignmentLosesEveryTerm) {
  for (const Unit& unit : kUnits) {
    if (unit.dtype != DType::float16) continue;
    Problem problem{1, 128, std::vector<double>(128, std::ldexp(1.0, -12)),
                    std::vector<double>(128, std::ldexp(2.0 - 0x1p-10, 12 - 1 - unit.fraction_bits))};
    problem.query[0] = problem.key[0] = 1.0;
    const double error = error_of(unit, problem), bound = bound_of(unit, problem);
    EXPECT_LE(error, bound) << unit.capability;
    EXPECT_GE(error, bound / 2) << unit.capability;
  }
}

// 31 products whose sum needs all bits of the result, and one small product that alignment keeps and the
// result drops.
TEST(TensorCoreModel, IsReachedWithinAFactorOfThreeWhenTheResultIsCut) {
  const Unit unit{"9.0", DType::float8_e4m3fn, 32, 13, 13};
  Problem problem{1, 32, std::vector<double>(32, 1.75), std::vector<double>(32, 1.75)};
  problem.query[31] = 1.875 * 0x1p-4;
  problem.key[31] = 1.875 * 0x1p-5;
  const double error = error_of(unit, problem), bound = bound_of(unit, problem);
  EXPECT_LE(error, bound);
  EXPECT_GE(error, bound / 3);
}

// Three heads of half a unit in the last place of the first: each addition rounds to even.
TEST(TensorCoreModel, IsReachedWithinAFactorOfThreeWhenTheHeadSumRounds) {
  const Unit unit{"9.0", DType::float16, 16, 25, 23};
  const Problem problem{4, 2, {1.0, 0.0, 0.0, 0x1p-12, 0.0, 0x1p-12, 0.0, 0x1p-12}, {1.0, 0x1p-12}};
  const double error = error_of(unit, problem), bound = bound_of(unit, problem);
  EXPECT_EQ(error, 3 * 0x1p-24);
  EXPECT_LE(error, bound);
  EXPECT_GE(error, bound / 3);
}

// Nothing but underflow: a step of each head may lose 2^-149, and so may every product of the scaled sum.
// What the alignment of the steps after the first may lose of that again stays below a quarter of it.
TEST(TensorCoreModel, LeavesRoomForUnderflowWhereEveryProductIsZero) {
  const Unit unit{"9.0", DType::float16, 16, 25, 23};
  const Problem problem{4, 128, std::vector<double>(512, 0.0), std::vector<double>(128, 0.0)};
  const double due = (4 * (128 / 16) + 4 * 128) * 0x1p-149;
  EXPECT_GE(bound_of(unit, problem), due);
  EXPECT_LE(bound_of(unit, problem), due + 4 * (128 / 16) * 0x1p-151);
}

TEST(TensorCoreModel, IsTighterThanAnyOrderOnHopper) {
  const Unit unit{"9.0", DType::float16, 16, 25, 23};
  Stream stream(5);
  Problem problem;
  double magnitude = 0;
  for (int i = 0; i < 512; ++i) problem.query.push_back(value_of(unit.dtype, stream, 4));
  for (int i = 0; i < 128; ++i) problem.key.push_back(value_of(unit.dtype, stream, 4));
  for (std::size_t i = 0; i < 512; ++i) magnitude += std::abs(problem.query[i] * problem.key[i % 128]);
  EXPECT_LT(bound_of(unit, problem), float32_any_order(4, 128)->bound({}, {}, magnitude) / 4);
}

TEST(TensorCoreModel, GivesTheAnyOrderBoundForTypesTheUnitDoesNotTake) {
  const auto any_order = float32_any_order(1, 2);
  const struct {
    const char* capability;
    DType query, key;
  } foreign[] = {{"9.0", DType::float32, DType::float32},
                 {"7.5", DType::bfloat16, DType::bfloat16},
                 {"8.0", DType::float8_e4m3fn, DType::float8_e4m3fn},
                 {"9.0", DType::float16, DType::float8_e4m3fn}};
  for (const auto& types : foreign) {
    const Tensor query = stored(types.query, {1, 2}, {1.0, 0.5}), key = stored(types.key, {2}, {1.0, 2.0});
    EXPECT_EQ(tensor_core(types.capability, 1, 2)->bound(query.view(), key.view(), 2.0),
              any_order->bound({}, {}, 2.0))
        << types.capability;
  }
}

TEST(TensorCoreModel, NamesCapabilityFormulaAndSource) {
  const auto model = tensor_core("7.5", 4, 128);
  EXPECT_EQ(model->name(), "tensor_core:7.5");
  EXPECT_NE(model->derivation().find("8 products"), std::string::npos);
  EXPECT_NE(model->derivation().find("emax - 24"), std::string::npos);
  EXPECT_NE(model->derivation().find("arXiv 2511.10909"), std::string::npos);
}

}  // namespace
}  // namespace plumbline

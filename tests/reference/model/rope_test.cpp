#include "reference/model/rope.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/error.h"
#include "fixtures/small_float.h"

namespace plumbline {
namespace {

constexpr MropeSections kRealSections = {11, 11, 10};
constexpr std::int64_t kRealPairs = 32;
constexpr std::size_t kRealDim = 128;

const EngineArithmetic kExact(exact_profile(), DType::float32);

RotaryFrequencies real_frequencies() {
  return default_frequencies(1e7, 2 * kRealPairs, kRealSections, kExact);
}

/// A head that is 1 at `hot` and 0 elsewhere, rotated.
std::vector<Bounded> one_hot(std::size_t hot, const Coordinates& coordinates) {
  std::vector<Bounded> head(kRealDim);
  head[hot] = {1, 0};
  rope<Bounded>(head, rotation_at(coordinates, real_frequencies(), kExact), kExact);
  return head;
}

double frequency(std::size_t pair) { return std::pow(1e7, -static_cast<double>(pair) / kRealPairs); }

TEST(Rope, TurnsEachPairOfTheHalfSplitLayoutByItsAngle) {
  const double position = 1000;
  for (std::size_t hot = 0; hot < kRealDim; ++hot) {
    const auto head = one_hot(hot, Coordinates::text(1000));
    for (std::size_t d = 0; d < kRealDim; ++d) {
      const std::size_t pair = hot % kRealPairs;
      const double angle = position * frequency(pair);
      double expected = 0;
      if (hot >= 2 * kRealPairs) {
        expected = d == hot ? 1 : 0;
      } else if (d == hot) {
        expected = std::cos(angle);
      } else if (d == (hot + kRealPairs) % (2 * kRealPairs)) {
        expected = hot < kRealPairs ? std::sin(angle) : -std::sin(angle);
      }
      ASSERT_NEAR(head[d].value, expected, 1e-7) << "one at " << hot << ", read at " << d;
    }
  }
}

TEST(Rope, TurnsThePairsOfInterleavedSectionsByTheirOwnCoordinate) {
  // Real sections [11, 11, 10] over 32 pairs, written out by pair.
  const std::string axes = "THWTHWTHWTHWTHWTHWTHWTHWTHWTHWTH";
  for (std::size_t pair = 0; pair < axes.size(); ++pair) {
    const double position = axes[pair] == 'T' ? 5 : axes[pair] == 'H' ? 17 : 29;
    const auto head = one_hot(pair, {5, 17, 29});
    EXPECT_NEAR(head[pair].value, std::cos(position * frequency(pair)), 1e-7) << "pair " << pair;
    EXPECT_NEAR(head[pair + kRealPairs].value, std::sin(position * frequency(pair)), 1e-7) << "pair " << pair;
  }
}

TEST(Rope, SectionsShorterThanTheirShareLeaveTheRestToTime) {
  const MropeSections sections = {2, 1, 1};
  const Coordinates at = {1, 2, 3};
  const std::int64_t expected[] = {1, 2, 3, 1, 1, 1};
  for (std::int64_t pair = 0; pair < 6; ++pair) {
    EXPECT_EQ(coordinate_of_pair(at, pair, sections), expected[pair]) << "pair " << pair;
  }
}

TEST(Rope, RefusesARotaryWidthBeyondTheHead) {
  std::vector<Bounded> head(8);
  EXPECT_THROW(rope<Bounded>(head, rotation_at({}, real_frequencies(), kExact), kExact), InputError);
}

TEST(Rope, BoundCoversAnEngineThatRoundsEachOperation) {
  for (const DType storage : {DType::float32, DType::bfloat16, DType::float16}) {
    const EngineArithmetic arithmetic(hf_cpu_profile(), storage);
    const auto round = [&](float value) {
      return static_cast<float>(round_to(storage, static_cast<double>(value)));
    };
    const std::vector<float> inverse = {1.0f, 0.1f, 0.01f, 0.001f};
    const auto frequencies = recorded_frequencies(inverse, {4, 0, 0});
    for (std::int64_t position = 0; position < 3000; position += 7) {
      std::vector<Bounded> head;
      std::vector<float> x;
      for (int d = 0; d < 8; ++d) {
        x.push_back(round(static_cast<float>((d * 37 + position * 11) % 101 - 50) * 0.013f));
        head.push_back({x.back(), 0});
      }
      rope<Bounded>(head, rotation_at(Coordinates::text(position), frequencies, arithmetic), arithmetic);
      for (std::size_t pair = 0; pair < 4; ++pair) {
        const float angle = static_cast<float>(position) * inverse[pair];
        const float cosine = round(std::cos(angle)), sine = round(std::sin(angle));
        const float first = round(round(x[pair] * cosine) + round(-x[pair + 4] * sine));
        const float second = round(round(x[pair + 4] * cosine) + round(x[pair] * sine));
        ASSERT_LE(std::abs(first - head[pair].value), head[pair].error) << position << " pair " << pair;
        ASSERT_LE(std::abs(second - head[pair + 4].value), head[pair + 4].error)
            << position << " pair " << pair;
      }
    }
  }
}

TEST(Rope, DefaultFrequenciesCoverAFloat32Power) {
  const EngineArithmetic arithmetic(hf_cpu_profile(), DType::float32);
  const auto frequencies = default_frequencies(1e4, 24, {4, 4, 4}, arithmetic);
  ASSERT_EQ(frequencies.per_pair.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    const float engine = 1.0f / std::pow(1e4f, static_cast<float>(2 * i) / 24.0f);
    EXPECT_LE(std::abs(engine - frequencies.per_pair[i].value), frequencies.per_pair[i].error) << i;
    EXPECT_LT(frequencies.per_pair[i].error, frequencies.per_pair[i].value * 2e-6) << i;
  }
}

}  // namespace
}  // namespace plumbline

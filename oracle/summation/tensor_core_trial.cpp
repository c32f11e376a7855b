#include "oracle/summation/tensor_core_trial.h"

#include "fixtures/cases/random.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::int64_t kLength = 128, kRows = 16, kColumns = 8;

enum class Numbers : std::uint8_t { normal, wide, cancelling, subnormal, extreme, zeros, powers };
constexpr std::array<std::pair<Numbers, const char*>, 7> kNumbers = {{{Numbers::normal, "normal"},
                                                                      {Numbers::wide, "wide exponents"},
                                                                      {Numbers::cancelling, "cancelling"},
                                                                      {Numbers::subnormal, "subnormal"},
                                                                      {Numbers::extreme, "extremes"},
                                                                      {Numbers::zeros, "zeros"},
                                                                      {Numbers::powers, "powers of two"}}};

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Rows of one operand. Products of bf16 stay below 2^120, so that no sum overflows.
class RowMaker {
 public:
  RowMaker(Numbers numbers, DType type, Random random, bool left)
      : numbers_(numbers), half_(type == DType::float16), left_(left), random_(random) {}

  void fill(std::span<double> row) {
    for (double& number : row) number = draw();
    if (numbers_ != Numbers::cancelling) return;
    // The second half of the row takes the first away again, but for a few bits of one operand.
    for (std::size_t i = 0; i < row.size() / 2; ++i) {
      const double change = random_.below(4) == 0 ? 1 + 0x1p-7 : 1.0;
      row[i + row.size() / 2] = left_ ? -row[i] * change : row[i];
    }
  }

 private:
  int exponent(int low, int high) {
    return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  double sign() { return random_.below(2) == 0 ? 1 : -1; }

  double draw() {
    const int reach = half_ ? 12 : 50;
    switch (numbers_) {
      case Numbers::wide:
      case Numbers::cancelling:
        return std::ldexp(random_.normal(), exponent(-reach, half_ ? 10 : reach));
      case Numbers::subnormal: {
        const double lowest = half_ ? 0x1p-24 : 0x1p-133;
        const auto units = static_cast<double>(1 + random_.below(half_ ? 1023 : 127));
        if (left_ || random_.below(3) == 0) return sign() * units * lowest;
        return std::ldexp(random_.normal(), half_ ? exponent(-10, 12) : exponent(-20, 110));
      }
      case Numbers::extreme: {
        const std::array<double, 6> half = {65504, 0x1p-24, 1023 * 0x1p-24, 0x1p-14, 1, 2047};
        // Products of 59, 46 and 34 lie 25 and 26 bits below the largest: where a cut shows.
        const std::array<double, 8> brain = {0x1.FEp59, 0x1.FEp46,      0x1.02p34, 0x1p-133,
                                             0x1p-126,  127 * 0x1p-133, 1,         0x1p-60};
        return sign() * (half_ ? half[random_.below(half.size())] : brain[random_.below(brain.size())]);
      }
      case Numbers::zeros:
        return random_.below(2) == 0 ? sign() * 0.0 : random_.normal();
      case Numbers::powers:
        return sign() * std::ldexp(1, half_ ? exponent(-24, 15) : exponent(-60, 59));
      default:
        return random_.normal();
    }
  }

  Numbers numbers_;
  bool half_, left_;
  Random random_;
};

/// Every row has a stream of its own.
Tensor rows_of(Numbers numbers, DType type, std::uint64_t seed, bool left, std::int64_t tiles,
               std::int64_t rows) {
  Tensor tensor(type, {tiles, rows, kLength});
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < tiles * rows; ++r) {
    std::vector<double> row(at(kLength));
    RowMaker(numbers, type, Random(seed).split(static_cast<std::uint64_t>(r)), left).fill(row);
    for (std::size_t k = 0; k < row.size(); ++k)
      encode_element(type, row[k], tensor.bytes.data() + (at(r * kLength) + k) * size_of(type));
  }
  return tensor;
}

std::vector<float> decoded(const Tensor& tensor) {
  std::vector<float> values(at(element_count(tensor.shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<float>(decode_element(tensor.dtype, tensor.bytes.data() + i * size_of(tensor.dtype)));
  return values;
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TensorCoreTally tally_of(ProductSubject& subject, const TensorCoreStep& step, DType type, Numbers numbers,
                         std::int64_t tiles, std::uint64_t seed) {
  const Tensor a = rows_of(numbers, type, seed, true, tiles, kRows),
               b = rows_of(numbers, type, ~seed, false, tiles, kColumns);
  const Tensor out = subject.multiply(a.view(), b.view());
  const std::vector<float> left = decoded(a), right = decoded(b);
  TensorCoreTally tally;
  tally.type = type;
  std::int64_t wrong = 0, less = 0, more = 0, nonzero = 0, first = tiles * kRows * kColumns;
#pragma omp parallel for schedule(static) reduction(+ : wrong, less, more, nonzero) reduction(min : first)
  for (std::int64_t dot = 0; dot < tiles * kRows * kColumns; ++dot) {
    const std::int64_t tile = dot / (kRows * kColumns), i = dot / kColumns % kRows, j = dot % kColumns;
    const auto x = std::span(left).subspan(at((tile * kRows + i) * kLength), at(kLength));
    const auto y = std::span(right).subspan(at((tile * kColumns + j) * kLength), at(kLength));
    const std::uint32_t seen = bits(out.as<float>()[at(dot)]);
    const auto differs = [&](int change) {
      TensorCoreStep changed = step;
      changed.fraction_bits += change;
      return bits(tensor_core_dot(changed, type, x, y)) != seen ? 1 : 0;
    };
    const int missed = differs(0);
    wrong += missed;
    less += differs(-1);
    more += differs(1);
    nonzero += (seen << 1) != 0 ? 1 : 0;
    if (missed != 0) first = std::min(first, dot);
  }
  tally.dots = tiles * kRows * kColumns;
  tally.wrong = wrong;
  tally.wrong_with_less = less;
  tally.wrong_with_more = more;
  tally.nonzero = nonzero;
  if (wrong > 0) {
    const std::int64_t tile = first / (kRows * kColumns);
    const float model = tensor_core_dot(
        step, type,
        std::span(left).subspan(at((tile * kRows + first / kColumns % kRows) * kLength), at(kLength)),
        std::span(right).subspan(at((tile * kColumns + first % kColumns) * kLength), at(kLength)));
    tally.first_wrong = fmt::format("dot {}: {:a} instead of {:a}", first, out.as<float>()[at(first)], model);
  }
  return tally;
}

}  // namespace

std::int64_t TensorCoreTrial::dots() const {
  std::int64_t sum = 0;
  for (const TensorCoreTally& tally : tallies) sum += tally.dots;
  return sum;
}

std::int64_t TensorCoreTrial::wrong() const {
  std::int64_t sum = 0;
  for (const TensorCoreTally& tally : tallies) sum += tally.wrong;
  return sum;
}

TensorCoreTrial try_tensor_core(ProductSubject& subject, const std::string& capability, std::int64_t dots,
                                std::uint64_t seed) {
  const TensorCore* core = find_tensor_core(capability);
  if (core == nullptr)
    throw InputError(fmt::format("capability {}: there is no model of its tensor cores", capability));
  TensorCoreTrial trial;
  trial.subject = subject.name();
  trial.capability = capability;
  trial.length = kLength;
  const auto families = static_cast<std::int64_t>(kNumbers.size());
  const std::int64_t tiles =
      std::max<std::int64_t>(1, (dots / families + kRows * kColumns) / (kRows * kColumns));
  for (const DType type : {DType::float16, DType::bfloat16}) {
    const auto step = core->step_for(type);
    if (!step) continue;
    for (const auto& [numbers, name] : kNumbers) {
      trial.tallies.push_back(
          tally_of(subject, *step, type, numbers, tiles, seed + static_cast<std::uint64_t>(numbers)));
      trial.tallies.back().numbers = name;
    }
  }
  return trial;
}

std::string trial_text(const TensorCoreTrial& trial) {
  std::string text = fmt::format("{} beside the model of capability {}, dot products of length {}\n",
                                 trial.subject, trial.capability, trial.length);
  text += fmt::format("{:<10} {:<16} {:>9} {:>9} {:>7} {:>19} {:>19}\n", "type", "numbers", "dots",
                      "not zero", "wrong", "wrong, 1 bit less", "wrong, 1 bit more");
  for (const TensorCoreTally& tally : trial.tallies) {
    text += fmt::format("{:<10} {:<16} {:>9} {:>9} {:>7} {:>19} {:>19}\n", name_of(tally.type), tally.numbers,
                        tally.dots, tally.nonzero, tally.wrong, tally.wrong_with_less, tally.wrong_with_more);
    if (!tally.first_wrong.empty()) text += "  " + tally.first_wrong + "\n";
  }
  return text +
         fmt::format("{} dot products, {} with other bits than foretold\n", trial.dots(), trial.wrong());
}

Json trial_json(const TensorCoreTrial& trial) {
  const TensorCore& core = *find_tensor_core(trial.capability);
  Json json = {{"subject", trial.subject},
               {"capability", trial.capability},
               {"architecture", core.architecture},
               {"length", trial.length},
               {"terms_per_step", core.half.terms},
               {"fraction_bits", core.half.fraction_bits},
               {"result_bits", core.half.result_bits},
               {"cut", "toward zero"},
               {"source", core.source},
               {"dots", trial.dots()},
               {"wrong", trial.wrong()},
               {"tallies", Json::array()}};
  for (const TensorCoreTally& tally : trial.tallies)
    json["tallies"].push_back({{"type", name_of(tally.type)},
                               {"numbers", tally.numbers},
                               {"dots", tally.dots},
                               {"not_zero", tally.nonzero},
                               {"wrong", tally.wrong},
                               {"wrong_with_one_bit_less", tally.wrong_with_less},
                               {"wrong_with_one_bit_more", tally.wrong_with_more},
                               {"first_wrong", tally.first_wrong}});
  return json;
}

}  // namespace plumbline

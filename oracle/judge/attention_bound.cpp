#include "oracle/judge/attention_bound.h"

#include "reference/model/sparse_attention.h"
#include "reference/numeric/transcendental.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// float32's unit roundoff; the last factor covers what sums in double lose beside it.
constexpr double kRoundoff = 0x1p-24 * (1 + 0x1p-16);
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kSmallestTile = 16;
/// A product, an exponential or a rescaled sum below this may be flushed to 0.
constexpr double kFlushed = 0x1p-126;
/// Largest error of a float32 log2 of a number of at least 1, beside its rounding: CUDA's lg2.approx has
/// 2^-22 (PTX ISA, lg2), libraries 1 ULP.
constexpr double kLogarithm = 0x1p-21;

double gamma(double n) {
  const double loss = n * kRoundoff;
  return loss < 1 ? loss / (1 - loss) : kInfinity;
}

struct StorageLimits {
  double roundoff;         ///< relative, of a normal number
  double half_smallest;    ///< half of the smallest positive number
  double smallest_normal;  ///< units that align treat what lies below as if it were that large
};

StorageLimits limits_of(DType storage) {
  if (storage == DType::float16) return {0x1p-11, 0x1p-25, 0x1p-14};
  return {0x1p-8, 0x1p-134, 0};
}

double aligned(double x, const StorageLimits& storage) {
  return x == 0 ? 0 : std::max(std::abs(x), storage.smallest_normal);
}

/// e^x − 1, rounded up, for x >= 0.
double grown(double x) {
  if (!(x < 700)) return kInfinity;
  return x <= 1 ? x + x * x : exp_of(x) * (1 + 0x1p-40);
}

/// Scores of one head and how far an engine's may lie from them.
struct Scores {
  std::vector<double> value, error;
  double largest = -kInfinity, largest_error = 0, largest_magnitude = 0;
};

Scores scores_of(std::span<const double> query, const AttendedRow& row, std::int64_t first, double scale,
                 const AttentionErrorModel& model) {
  const StorageLimits storage = limits_of(model.storage);
  const RoundingProfile& profile = model.profile;
  const auto dim = static_cast<std::int64_t>(query.size());
  const double terms = model.units_per_term * static_cast<double>(dim);
  Scores scores;
  for (std::int64_t i = 0; i < row.tokens(); ++i) {
    const std::span<const double> key = row.keys.part(i, first, dim);
    double product = 0, magnitude = 0;
    for (std::size_t d = 0; d < query.size(); ++d) {
      product += query[d] * key[d];
      magnitude += aligned(query[d], storage) * aligned(key[d], storage);
    }
    const double value = scale * product, all = scale * magnitude;
    double error =
        gamma(terms) * all + scale * static_cast<double>(dim) * kFlushed + 4 * kRoundoff * std::abs(value);
    if (profile.scale_query)
      error +=
          (storage.roundoff + 2 * kRoundoff) * all + static_cast<double>(dim) * storage.half_smallest * all;
    if (profile.store_scores)
      error += 2 * storage.roundoff * (std::abs(value) + error) + (1 + scale) * storage.half_smallest;
    if (!profile.float32_arithmetic) error = 0x1p-40 * all;
    scores.value.push_back(value);
    scores.error.push_back(error);
    scores.largest = std::max(scores.largest, value);
    scores.largest_error = std::max(scores.largest_error, error);
    scores.largest_magnitude = std::max(scores.largest_magnitude, std::abs(value));
  }
  return scores;
}

/// Weights and what both of their sums make of them alike.
struct Weights {
  std::vector<double> value, error;  ///< p_i and η_i
  double sum = 0, least_sum = 0;
  double rescalings = 0;
};

Weights weights_of(const Scores& scores, const AttentionErrorModel& model) {
  const RoundingProfile& profile = model.profile;
  const auto tokens = static_cast<double>(scores.value.size());
  const double exponential = profile.exponential_ulp * 2 * kRoundoff;
  const bool online = profile.normalise_after_values, split = online && model.most_splits > 1;
  Weights weights;
  weights.rescalings = online ? std::ceil(tokens / kSmallestTile) + 1 : 0;
  // Two logarithms to the base 2 are rounded, compared and raised again.
  const double merge =
      split ? 4 * kRoundoff * (scores.largest_magnitude + scores.largest_error + log_of(tokens)) +
                  kLogarithm + exponential + 2 * kRoundoff
            : 0;
  const double common = exponential + weights.rescalings * (exponential + 2 * kRoundoff) + merge;
  for (std::size_t i = 0; i < scores.value.size(); ++i) {
    const double below = scores.largest - scores.value[i];
    const double path = 2 * kRoundoff * (below + scores.error[i] + scores.largest_error);
    const double p = exp_of(-below);
    const double error = profile.float32_arithmetic ? grown(scores.error[i] + path + 1.01 * common)
                                                    : grown(scores.error[i] + 0x1p-40);
    weights.value.push_back(p);
    weights.error.push_back(error);
    weights.sum += p;
    weights.least_sum += p * (1 - error);
  }
  if (split) weights.rescalings += static_cast<double>(model.most_splits);
  return weights;
}

Bounded bounded_lse(const Scores& scores, const Weights& weights) {
  const double value = scores.largest + log_of(weights.sum);
  double moved = 0;
  for (std::size_t i = 0; i < weights.value.size(); ++i) moved += weights.value[i] * weights.error[i];
  const auto terms = static_cast<double>(weights.value.size()) + weights.rescalings + 2;
  const double share = moved / weights.sum + gamma(terms) * (1 + moved / weights.sum);
  const double of_sum = share < 1 ? share / (1 - share) : kInfinity;
  const double roundings =
      4 * kRoundoff * (std::abs(scores.largest) + scores.largest_error + std::abs(value) + log_of(terms));
  return widened({value, 0, 0}, of_sum + roundings + kLogarithm);
}

struct Values {
  double output = 0;     ///< Σp·v / Σp
  double moved = 0;      ///< Σp·η·|v − output|
  double weighted = 0;   ///< Σp·(1 + η)·|v|, as large as units that align take it
  double magnitude = 0;  ///< Σ|v|
};

Bounded bounded_output(const Values& values, const Weights& weights, double v_scale,
                       const AttentionErrorModel& model) {
  const StorageLimits storage = limits_of(model.storage);
  const RoundingProfile& profile = model.profile;
  if (!profile.float32_arithmetic)
    return widened({v_scale * values.output, 0, 0},
                   v_scale * (values.moved / weights.least_sum + 0x1p-40 * values.weighted / weights.sum));
  const auto tokens = static_cast<double>(weights.value.size());
  const double parts = model.probability_pairs ? 2 : 1;
  const double stored = model.probability_pairs       ? storage.roundoff * storage.roundoff
                        : profile.store_probabilities ? storage.roundoff
                                                      : 0;
  const bool rounded = model.probability_pairs || profile.store_probabilities;
  const double products = gamma(parts * model.units_per_term * tokens + weights.rescalings + 2);
  const double lost = (rounded ? storage.half_smallest : 0) + (weights.rescalings + 2) * kFlushed +
                      products * storage.smallest_normal;
  if (!(weights.least_sum > 0)) return {v_scale * values.output, kInfinity, 0};
  const double above =
      (values.moved + (stored + products * (1 + stored)) * values.weighted + lost * values.magnitude) /
      weights.least_sum;
  const double normaliser = gamma(tokens + weights.rescalings + 6);
  const double error = above + 2 * normaliser * (std::abs(values.output) + above);
  return widened({v_scale * values.output, 0, 0}, v_scale * error);
}

double units_of(const std::optional<std::string>& capability) {
  if (!capability) return 1;
  // (step + 1) aligned terms and the cut of the result, a step's terms sharing them: tensor_core_model.cpp.
  if (*capability == "7.0") return (5 * 2 + 2) / 4.0;
  if (*capability == "7.5" || capability->starts_with("8.")) return (9 + 2) / 8.0;
  return 1;  // Hopper's (17/2 + 2) / 16 lies below
}

}  // namespace

std::string AttentionErrorModel::derivation() const {
  return fmt::format(
      "scores γ_({:g}·dim)·scale·Σ|q·k|; weights of any tiles of {} tokens or more and {} splits or fewer; P "
      "{}; "
      "profile {}",
      units_per_term, kSmallestTile, profile.normalise_after_values ? most_splits : 1,
      probability_pairs             ? "as pairs of the storage type"
      : profile.store_probabilities ? "rounded to storage"
                                    : "in float32",
      profile.name);
}

AttentionErrorModel attention_error_model(const RoundingProfile& profile, DType storage,
                                          const std::optional<std::string>& capability) {
  return {profile, storage, units_of(capability), 64, false};
}

AttentionErrorModel device_attention_model(DType storage, const std::optional<std::string>& capability) {
  RoundingProfile profile = hf_cuda_profile();
  profile.name = "plumbline_cuda";
  profile.store_probabilities = false;
  profile.normalise_after_values = true;
  profile.store_scores = false;
  profile.store_output_gate = false;
  return {profile, storage, units_of(capability), 64, true};
}

BoundedHead bounded_head(std::span<const double> query, const AttendedRow& row, std::int64_t first,
                         double scale, double v_scale, const AttentionErrorModel& model) {
  const Scores scores = scores_of(query, row, first, scale, model);
  const Weights weights = weights_of(scores, model);
  const StorageLimits storage = limits_of(model.storage);
  const auto dim = static_cast<std::int64_t>(query.size());
  std::vector<Values> columns(query.size());
  for (std::int64_t i = 0; i < row.tokens(); ++i) {
    const std::span<const double> value = row.values.part(i, first, dim);
    const double p = weights.value[static_cast<std::size_t>(i)];
    for (std::size_t c = 0; c < value.size(); ++c) columns[c].output += p * value[c];
  }
  for (Values& column : columns) column.output /= weights.sum;
  for (std::int64_t i = 0; i < row.tokens(); ++i) {
    const std::span<const double> value = row.values.part(i, first, dim);
    const double p = weights.value[static_cast<std::size_t>(i)];
    const double error = weights.error[static_cast<std::size_t>(i)];
    for (std::size_t c = 0; c < value.size(); ++c) {
      const double magnitude = aligned(value[c], storage);
      columns[c].moved += p * error * std::abs(value[c] - columns[c].output);
      columns[c].weighted += p * (1 + error) * magnitude;
      columns[c].magnitude += magnitude;
    }
  }
  BoundedHead head{{}, bounded_lse(scores, weights)};
  for (const Values& column : columns) head.output.push_back(bounded_output(column, weights, v_scale, model));
  return head;
}

BoundedRow bounded_row(const AttentionInputs& inputs, std::int64_t row, const AttendedRow& attended,
                       const AttentionErrorModel& model) {
  const std::int64_t heads = inputs.heads(), dim = inputs.dim();
  const EngineArithmetic arithmetic(model.profile, model.storage);
  BoundedRow bounded{Rows<Bounded>(heads, dim), Rows<Bounded>(1, heads)};
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t shared = head / (heads / inputs.key_value_heads()) * dim;
    const BoundedHead one = bounded_head(attended.query.row(head), attended, shared,
                                         inputs.softmax_scale * inputs.k_scale, inputs.v_scale, model);
    std::ranges::transform(one.output, bounded.output.row(head).begin(), [&](Bounded number) {
      return arithmetic.store_if(model.profile.store_activations, number);
    });
    bounded.lse.row(0)[static_cast<std::size_t>(head)] = rounded(DType::float32, one.lse);
  }
  if (inputs.output_gate) {
    const Rows<double> gate = decoded_row(*inputs.output_gate, row, heads);
    std::vector<Bounded> exact(gate.numbers.size());
    std::ranges::transform(gate.numbers, exact.begin(), exactly<Bounded>);
    apply_output_gate<Bounded>(exact, arithmetic, bounded.output.numbers);
  }
  for (Bounded& number : bounded.output.numbers) number = arithmetic.store(number);
  return bounded;
}

}  // namespace plumbline

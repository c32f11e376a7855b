#include "reference/model/paged_attention.h"

#include "fixtures/small_float.h"
#include "reference/model/sparse_attention.h"
#include "reference/numeric/transcendental.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {
namespace {

std::int32_t number_at(const TensorView& view, std::int64_t row, std::int64_t column) {
  std::int32_t value = 0;
  std::memcpy(&value, view.at(row, column), sizeof value);
  return value;
}

/// The page and offset of a token of a request.
struct Slot {
  std::int64_t page = 0, offset = 0;
};

std::optional<Slot> slot_of(const AttentionInputs& inputs, std::int64_t request, std::int64_t token) {
  const std::int64_t page_size = inputs.key_cache.extent(1);
  if (token < 0 || token / page_size >= inputs.page_table.extent(1)) return std::nullopt;
  const std::int64_t page = number_at(inputs.page_table, request, token / page_size);
  if (page < 0 || page >= inputs.key_cache.extent(0)) return std::nullopt;
  return Slot{page, token % page_size};
}

std::vector<Slot> slots_of(const AttentionInputs& inputs, std::int64_t row) {
  std::vector<Slot> slots;
  std::int32_t request = 0;
  std::memcpy(&request, inputs.token_to_request.at(row), sizeof request);
  if (request < 0 || request >= inputs.page_table.extent(0)) return slots;
  for (std::int64_t i = 0; i < inputs.selected_tokens.extent(1); ++i) {
    if (const auto slot = slot_of(inputs, request, number_at(inputs.selected_tokens, row, i)))
      slots.push_back(*slot);
  }
  return slots;
}

void decode(const TensorView& view, const std::byte* first, std::int64_t stride, std::span<double> out) {
  const auto step = stride * static_cast<std::int64_t>(size_of(view.dtype));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = decode_element(view.dtype, first + static_cast<std::int64_t>(i) * step);
}

Rows<double> gathered(const TensorView& cache, const std::vector<Slot>& slots) {
  const std::int64_t heads = cache.extent(2), dim = cache.extent(3);
  Rows<double> out(static_cast<std::int64_t>(slots.size()), heads * dim);
  for (std::int64_t i = 0; i < out.rows; ++i) {
    const Slot& slot = slots[static_cast<std::size_t>(i)];
    for (std::int64_t head = 0; head < heads; ++head)
      decode(cache, cache.at(slot.page, slot.offset, head), cache.strides[3], out.part(i, head * dim, dim));
  }
  return out;
}

bool all_finite(const Rows<double>& rows) {
  return std::ranges::all_of(rows.numbers, [](double x) { return std::isfinite(x); });
}

/// ln Σ e^(scale·q·k), −infinity for no keys.
double exact_lse(std::span<const double> query, const AttendedRow& row, std::int64_t first_column,
                 double scale) {
  std::vector<double> scores;
  for (std::int64_t i = 0; i < row.tokens(); ++i) {
    const auto key = row.keys.part(i, first_column, static_cast<std::int64_t>(query.size()));
    scores.push_back(scale * std::inner_product(query.begin(), query.end(), key.begin(), 0.0));
  }
  if (scores.empty()) return -std::numeric_limits<double>::infinity();
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += exp_of(score - largest);
  return largest + log_of(sum);
}

class ReferenceAttention final : public AttentionSubject {
 public:
  explicit ReferenceAttention(const RoundingProfile& profile) : profile_(profile) {}
  std::string name() const override { return "reference"; }
  AttentionOutputs attend(const AttentionInputs& inputs) override {
    return paged_attention(inputs, profile_);
  }

 private:
  const RoundingProfile& profile_;
};

}  // namespace

AttendedRow gather_row(const AttentionInputs& inputs, std::int64_t row) {
  AttendedRow attended;
  attended.query = decoded_row(inputs.query, row, inputs.heads());
  const std::vector<Slot> slots = slots_of(inputs, row);
  attended.keys = gathered(inputs.key_cache, slots);
  attended.values = gathered(inputs.value_cache, slots);
  attended.finite = all_finite(attended.query) && all_finite(attended.keys) && all_finite(attended.values);
  return attended;
}

Rows<double> decoded_row(const TensorView& tensor, std::int64_t row, std::int64_t count) {
  const bool flat = tensor.shape.size() == 2;
  const std::int64_t width = flat ? tensor.extent(1) : tensor.extent(2);
  Rows<double> out(count, width);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* first = flat ? tensor.at(row) : tensor.at(row, i);
    decode(tensor, first, tensor.strides.back(), out.row(i));
  }
  return out;
}

AttentionOutputs paged_attention(const AttentionInputs& inputs, const RoundingProfile& profile) {
  const DType storage = inputs.query.dtype;
  const std::int64_t rows = inputs.rows(), heads = inputs.heads(), dim = inputs.dim();
  AttentionOutputs outputs{Tensor(storage, {rows, heads, dim}), Tensor(DType::float32, {rows, heads})};
  const BasicEngineArithmetic<double> arithmetic(profile, storage);
  const AttentionGeometry geometry{heads, inputs.key_value_heads(), dim,
                                   inputs.softmax_scale * inputs.k_scale};
  const std::size_t element = size_of(storage);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t row = 0; row < rows; ++row) {
    AttendedRow attended = gather_row(inputs, row);
    for (double& value : attended.values.numbers) value *= inputs.v_scale;
    std::vector<std::int32_t> order(static_cast<std::size_t>(attended.tokens()));
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> out(static_cast<std::size_t>(heads * dim));
    sparse_attention<double>(attended.query.numbers, attended.keys, attended.values, order, geometry,
                             arithmetic, out);
    if (inputs.output_gate) {
      const Rows<double> gate = decoded_row(*inputs.output_gate, row, heads);
      apply_output_gate<double>(gate.numbers, arithmetic, out);
    }
    std::byte* to = outputs.output.bytes.data() + static_cast<std::size_t>(row * heads * dim) * element;
    for (std::size_t i = 0; i < out.size(); ++i) encode_element(storage, out[i], to + i * element);
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t shared = head / (heads / inputs.key_value_heads()) * dim;
      outputs.lse->as<float>()[static_cast<std::size_t>(row * heads + head)] =
          static_cast<float>(exact_lse(attended.query.row(head), attended, shared, geometry.scale()));
    }
  }
  return outputs;
}

std::unique_ptr<AttentionSubject> reference_attention(const RoundingProfile& profile) {
  return std::make_unique<ReferenceAttention>(profile);
}

}  // namespace plumbline

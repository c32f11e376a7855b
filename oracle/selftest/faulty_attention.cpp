#include "oracle/selftest/faulty_attention.h"

#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

namespace plumbline::selftest {
namespace {

using enum AttentionFault;

constexpr float kNothing = -std::numeric_limits<float>::infinity();

struct Slot {
  std::int64_t page = 0, offset = 0;
};

/// A part of a row's tokens: Σ e^(s − maximum) and Σ e^(s − maximum)·v.
struct Partial {
  float maximum = kNothing, sum = 0;
  std::vector<float> output;
};

std::int32_t number_at(const TensorView& view, std::int64_t row, std::int64_t column) {
  std::int32_t value = 0;
  std::memcpy(&value, view.at(row, column), sizeof value);
  return value;
}

/// One call.
class Call {
 public:
  Call(const AttentionInputs& inputs, AttentionFault fault, std::int64_t number)
      : inputs_(inputs), fault_(fault), number_(number) {}

  AttentionOutputs run() {
    const std::int64_t rows = inputs_.rows(), heads = inputs_.heads(), dim = inputs_.dim();
    AttentionOutputs outputs{Tensor(inputs_.query.dtype, {rows, heads, dim}),
                             Tensor(DType::float32, {rows, heads})};
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::vector<Slot> slots = slots_of(row);
      for (std::int64_t head = 0; head < heads; ++head) {
        const Partial whole = attend(row, head, slots);
        float& lse = outputs.lse->as<float>()[static_cast<std::size_t>(row * heads + head)];
        lse = whole.sum > 0 ? whole.maximum + std::log(whole.sum) : kNothing;
        if (whole.sum == 0 && is(empty_lse_as_0)) lse = 0;
        if (is(lse_in_base_2)) lse *= std::numbers::log2e_v<float>;
        if (is(lse_of_first_split)) lse = first_lse_;
        store(row, head, whole, outputs.output);
      }
    }
    return outputs;
  }

 private:
  bool is(AttentionFault fault) const { return fault_ == fault; }

  std::vector<Slot> slots_of(std::int64_t row) const {
    std::int32_t request = 0;
    std::memcpy(&request, inputs_.token_to_request.at(row), sizeof request);
    const bool known = request >= 0 && request < inputs_.page_table.extent(0);
    if (!known && !is(nobody_reads_request_0)) return {};
    if (!known || is(table_of_the_first_request)) request = 0;
    const std::int64_t page_size = inputs_.key_cache.extent(1);
    std::vector<Slot> slots;
    for (std::int64_t i = 0; i < inputs_.selected_tokens.extent(1); ++i) {
      std::int64_t token = number_at(inputs_.selected_tokens, row, i);
      if (token == -1 && is(minus_one_as_token_0)) token = 0;
      if (token < 0 || token / page_size >= inputs_.page_table.extent(1)) continue;
      std::int64_t page = number_at(inputs_.page_table, request, token / page_size);
      if (is(pages_side_by_side)) page = number_at(inputs_.page_table, request, 0) + token / page_size;
      if (page < 0 || page >= inputs_.key_cache.extent(0)) {
        if (!is(bad_page_as_page_0)) continue;
        page = 0;
      }
      slots.push_back({page, token % page_size});
    }
    if (is(last_token_left_out) && slots.size() > 1) slots.pop_back();
    if (is(order_by_the_call) && !slots.empty())
      std::ranges::rotate(slots, slots.begin() + number_ % std::ssize(slots));
    return slots;
  }

  std::int64_t splits() const { return is(splits_by_the_batch) ? 1 + inputs_.rows() % 5 : 4; }

  Partial attend(std::int64_t row, std::int64_t head, const std::vector<Slot>& slots) {
    std::vector<Partial> parts;
    const std::int64_t count = std::ssize(slots);
    for (std::int64_t split = 0; split < splits(); ++split)
      parts.push_back(part(row, head,
                           std::span(slots).subspan(static_cast<std::size_t>(count * split / splits()),
                                                    static_cast<std::size_t>(count * (split + 1) / splits() -
                                                                             count * split / splits()))));
    first_lse_ = parts[0].sum > 0 ? parts[0].maximum + std::log(parts[0].sum) : kNothing;
    return merged(parts);
  }

  Partial part(std::int64_t row, std::int64_t head, std::span<const Slot> slots) const {
    const std::int64_t group = inputs_.heads() / inputs_.key_value_heads();
    const std::int64_t shared = is(heads_interleaved) ? head % inputs_.key_value_heads() : head / group;
    Partial part;
    part.output.resize(static_cast<std::size_t>(inputs_.dim()));
    std::vector<float> scores;
    for (const Slot& slot : slots) scores.push_back(score(row, head, slot, shared));
    for (const float one : scores) part.maximum = std::max(part.maximum, one);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const float weight = std::exp(scores[i] - part.maximum);
      part.sum += weight;
      for (std::int64_t d = 0; d < inputs_.dim(); ++d)
        part.output[static_cast<std::size_t>(d)] +=
            weight * element(inputs_.value_cache, slots[i].page, slots[i].offset, shared, d);
    }
    return part;
  }

  float score(std::int64_t row, std::int64_t head, const Slot& slot, std::int64_t shared) const {
    float dot = 0;
    for (std::int64_t d = 0; d < inputs_.dim(); ++d)
      dot += element(inputs_.query, row, head, d) *
             element(inputs_.key_cache, slot.page, slot.offset, shared, d);
    double scale = inputs_.softmax_scale;
    if (is(scale_left_out)) scale = 1;
    if (is(scale_twice)) scale *= scale;
    if (is(cache_scales_exchanged)) return dot * static_cast<float>(scale * inputs_.v_scale);
    return dot * static_cast<float>(is(key_scale_left_out) ? scale : scale * inputs_.k_scale);
  }

  Partial merged(const std::vector<Partial>& parts) const {
    Partial whole;
    whole.output.resize(parts[0].output.size());
    for (const Partial& part : parts) whole.maximum = std::max(whole.maximum, part.maximum);
    if (whole.maximum == kNothing) return whole;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Partial& part = parts[i];
      if (part.sum == 0 || (is(partial_left_out) && i == 2)) continue;
      float weight = std::exp(part.maximum - whole.maximum);
      if (is(maxima_not_aligned)) weight = 1;
      if (is(merge_in_base_2)) weight = std::exp2(part.maximum - whole.maximum);
      if (is(partials_averaged)) weight = 1 / part.sum;
      if (is(partial_twice) && i == 2) weight *= 2;
      whole.sum += weight * part.sum;
      for (std::size_t d = 0; d < part.output.size(); ++d) whole.output[d] += weight * part.output[d];
    }
    return whole;
  }

  void store(std::int64_t row, std::int64_t head, const Partial& whole, Tensor& output) const {
    const DType type = output.dtype;
    const std::size_t element_bytes = size_of(type);
    const auto v_scale = static_cast<float>(is(cache_scales_exchanged) ? inputs_.k_scale : inputs_.v_scale);
    for (std::int64_t d = 0; d < inputs_.dim(); ++d) {
      std::byte* to =
          output.bytes.data() +
          static_cast<std::size_t>((row * inputs_.heads() + head) * inputs_.dim() + d) * element_bytes;
      float value = whole.sum == 0 && !is(empty_row_divided)
                        ? 0
                        : whole.output[static_cast<std::size_t>(d)] / whole.sum * v_scale;
      if (!is(gate_before_storing)) {
        encode_element(type, value, to);
        value = static_cast<float>(decode_element(type, to));
      }
      if (inputs_.output_gate && !is(gate_left_out)) {
        const float gate = element(*inputs_.output_gate, row, is(gate_of_the_first_head) ? 0 : head, d);
        value *= 1 / (1 + std::exp(-gate));
      }
      encode_element(type, value, to);
    }
  }

  template <typename... Index>
  static float element(const TensorView& view, Index... index) {
    return static_cast<float>(decode_element(view.dtype, view.at(index...)));
  }

  const AttentionInputs& inputs_;
  AttentionFault fault_;
  std::int64_t number_;
  float first_lse_ = kNothing;
};

}  // namespace

std::span<const NamedAttentionFault> attention_faults() {
  static const std::vector<NamedAttentionFault> faults = {
      {partial_left_out, "partial_left_out", "ROUTES §4.3", "the third split is not merged", "output"},
      {partial_twice, "partial_twice", "ROUTES §4.3", "the third split is merged twice", "output"},
      {partials_averaged, "partials_averaged", "ROUTES §4.3", "every split weighs the same", "output"},
      {maxima_not_aligned, "maxima_not_aligned", "ROUTES §4.3",
       "splits are added without bringing them to one maximum", "output"},
      {merge_in_base_2, "merge_in_base_2", "ROUTES §4.3", "natural logarithms are merged as powers of 2",
       "output"},
      {lse_in_base_2, "lse_in_base_2", "ROUTES §4.3", "the log-sum-exp is a logarithm to the base 2", "lse"},
      {lse_of_first_split, "lse_of_first_split", "ROUTES §4.3", "the log-sum-exp is the first split's",
       "lse"},
      {minus_one_as_token_0, "minus_one_as_token_0", "CASES D5", "-1 is read as token 0", "output"},
      {bad_page_as_page_0, "bad_page_as_page_0", "CASES C5", "a page outside the cache is read as page 0",
       "output"},
      {table_of_the_first_request, "table_of_the_first_request", "CASES C8",
       "every row reads the first request's pages", "output"},
      {pages_side_by_side, "pages_side_by_side", "CASES C5", "pages are taken to follow the first one",
       "output"},
      {last_token_left_out, "last_token_left_out", "CASES D5", "the last token of a list is left out", "lse"},
      {empty_row_divided, "empty_row_divided", "CASES D7", "a row without tokens is 0 / 0", "empty"},
      {empty_lse_as_0, "empty_lse_as_0", "CASES D7", "the log-sum-exp of no tokens is 0", "empty"},
      {nobody_reads_request_0, "nobody_reads_request_0", "CASES D14",
       "a row of no request reads the first one's pages", "empty"},
      {heads_interleaved, "heads_interleaved", "MODEL §2", "head h reads key head h mod key heads", "output"},
      {scale_left_out, "scale_left_out", "MODEL §2", "scores are not scaled", "lse"},
      {scale_twice, "scale_twice", "MODEL §2", "scores are scaled twice", "lse"},
      {key_scale_left_out, "key_scale_left_out", "CASES D10", "the scale of 8-bit keys is left out", "lse"},
      {cache_scales_exchanged, "cache_scales_exchanged", "CASES D10", "8-bit keys and values change scales",
       "output"},
      {gate_left_out, "gate_left_out", "MODEL §2", "the output gate is left out", "output"},
      {gate_of_the_first_head, "gate_of_the_first_head", "MODEL §2", "every head has the first one's gate",
       "output"},
      {gate_before_storing, "gate_before_storing", "MODEL §3",
       "the gate multiplies before the output is rounded", "output"},
      {splits_by_the_batch, "splits_by_the_batch", "CASES D9", "rows of the batch decide the splits",
       "alone"},
      {order_by_the_call, "order_by_the_call", "TOPK T5", "every call adds in another order", "repeat"},
  };
  return faults;
}

AttentionOutputs FaultyAttention::attend(const AttentionInputs& inputs) {
  return Call(inputs, fault_, calls_++).run();
}

}  // namespace plumbline::selftest

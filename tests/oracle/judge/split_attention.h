#pragma once

#include "fixtures/small_float.h"
#include "oracle/run/attention_cases.h"
#include "reference/model/paged_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline {

/// What a split attention gets wrong.
enum class SplitFault {
  none,
  partial_dropped,
  partial_doubled,
  lse_in_base_2,
  merged_in_base_e,
  gate_before_rounding,
  padding_is_token_0,
  scales_swapped
};

/// Attention in float32 with contiguous splits merged by log-sum-exp, written for the tests alone.
inline AttentionOutputs split_attention(const AttentionCase& data, std::int64_t splits,
                                        SplitFault fault = SplitFault::none) {
  AttentionCase altered = data;
  if (fault == SplitFault::padding_is_token_0)
    for (std::int32_t& token : altered.selected_tokens.as<std::int32_t>()) token = std::max(token, 0);
  if (fault == SplitFault::scales_swapped) std::swap(altered.k_scale, altered.v_scale);
  const AttentionInputs inputs = altered.inputs();
  const DType type = inputs.query.dtype;
  const std::int64_t heads = inputs.heads(), dim = inputs.dim();
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kLog2E = 1.44269504f;
  AttentionOutputs outputs{Tensor(type, {inputs.rows(), heads, dim}),
                           Tensor(DType::float32, {inputs.rows(), heads})};
  for (std::int64_t row = 0; row < inputs.rows(); ++row) {
    const AttendedRow attended = gather_row(inputs, row);
    const Rows<double> gate =
        inputs.output_gate ? decoded_row(*inputs.output_gate, row, heads) : Rows<double>();
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t first = head / (heads / inputs.key_value_heads()) * dim;
      const auto scale = static_cast<float>(inputs.softmax_scale * inputs.k_scale) * kLog2E;
      std::vector<float> lse, total(static_cast<std::size_t>(dim));
      std::vector<std::vector<float>> parts;
      for (std::int64_t s = 0; s < splits; ++s) {
        const std::int64_t begin = s * attended.tokens() / splits, end = (s + 1) * attended.tokens() / splits;
        std::vector<float> scores, sum(static_cast<std::size_t>(dim));
        float largest = -kInfinity, normaliser = 0;
        for (std::int64_t t = begin; t < end; ++t) {
          float dot = 0;
          for (std::int64_t d = 0; d < dim; ++d)
            dot += static_cast<float>(attended.query.row(head)[static_cast<std::size_t>(d)]) *
                   static_cast<float>(attended.keys.part(t, first, dim)[static_cast<std::size_t>(d)]);
          scores.push_back(dot * scale);
          largest = std::max(largest, scores.back());
        }
        for (std::int64_t t = begin; t < end; ++t) {
          const float p = std::exp2(scores[static_cast<std::size_t>(t - begin)] - largest);
          normaliser += p;
          for (std::int64_t d = 0; d < dim; ++d)
            sum[static_cast<std::size_t>(d)] +=
                p * static_cast<float>(attended.values.part(t, first, dim)[static_cast<std::size_t>(d)]);
        }
        if (begin < end) {
          for (float& x : sum) x /= normaliser;
          lse.push_back(largest + std::log2(normaliser));
          parts.push_back(sum);
        }
      }
      if (fault == SplitFault::partial_dropped && parts.size() > 1) parts.pop_back(), lse.pop_back();
      if (fault == SplitFault::partial_doubled && !parts.empty())
        parts.push_back(parts[0]), lse.push_back(lse[0]);
      const float largest = lse.empty() ? -kInfinity : *std::ranges::max_element(lse);
      float normaliser = 0;
      for (std::size_t s = 0; s < parts.size(); ++s) {
        const float below = lse[s] - largest;
        const float weight = fault == SplitFault::merged_in_base_e ? std::exp(below) : std::exp2(below);
        normaliser += weight;
        for (std::size_t d = 0; d < total.size(); ++d) total[d] += weight * parts[s][d];
      }
      const float log2 = largest + std::log2(normaliser);
      outputs.lse->as<float>()[static_cast<std::size_t>(row * heads + head)] =
          parts.empty()                        ? -kInfinity
          : fault == SplitFault::lse_in_base_2 ? log2
                                               : log2 / kLog2E;
      for (std::int64_t d = 0; d < dim; ++d) {
        const auto at = static_cast<std::size_t>(d);
        double result =
            parts.empty() ? 0
                          : static_cast<double>(total[at] / normaliser * static_cast<float>(inputs.v_scale));
        if (fault != SplitFault::gate_before_rounding) result = round_to(type, result);
        if (inputs.output_gate)
          result *= static_cast<double>(1 / (1 + std::exp(static_cast<float>(-gate.row(head)[at]))));
        encode_element(type, result,
                       outputs.output.bytes.data() +
                           static_cast<std::size_t>((row * heads + head) * dim + d) * size_of(type));
      }
    }
  }
  return outputs;
}

}  // namespace plumbline

#pragma once

#include "fixtures/attention_subject.h"

#include <cstdint>
#include <span>
#include <string>

namespace plumbline::selftest {

/// What a split-K attention does wrong.
enum class AttentionFault : std::uint8_t {
  none,
  partial_left_out,
  partial_twice,
  partials_averaged,
  maxima_not_aligned,
  merge_in_base_2,
  lse_in_base_2,
  lse_of_first_split,
  minus_one_as_token_0,
  bad_page_as_page_0,
  table_of_the_first_request,
  pages_side_by_side,
  last_token_left_out,
  empty_row_divided,
  empty_lse_as_0,
  nobody_reads_request_0,
  heads_interleaved,
  scale_left_out,
  scale_twice,
  key_scale_left_out,
  cache_scales_exchanged,
  gate_left_out,
  gate_of_the_first_head,
  gate_before_storing,
  splits_by_the_batch,
  order_by_the_call,
};

struct NamedAttentionFault {
  AttentionFault fault;
  std::string id, hazard, about, check;
};
std::span<const NamedAttentionFault> attention_faults();

/// Sparse paged attention in float32, each row's tokens in four splits merged by their log-sum-exp, with one
/// fault.
class FaultyAttention final : public AttentionSubject {
 public:
  explicit FaultyAttention(AttentionFault fault) : fault_(fault) {}
  std::string name() const override { return "mutant"; }
  AttentionOutputs attend(const AttentionInputs& inputs) override;

 private:
  AttentionFault fault_;
  std::int64_t calls_ = 0;
};

}  // namespace plumbline::selftest

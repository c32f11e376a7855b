#pragma once

#include "fixtures/attention_subject.h"
#include "fixtures/sha256.h"
#include "fixtures/subject.h"
#include "oracle/report/answers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// Digests of all questions of a check and the answers to them, in the order they were asked.
class AnswerDigest {
 public:
  void add(const SelectInputs& inputs, const SelectOutputs& outputs);
  /// Of a paged step the scores are left out: which of them are visible is the page table's to say.
  void add(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs);
  /// Output and log-sum-exp stand where a selection has its scores; the sample is of the log-sum-exp.
  void add(const AttentionInputs& inputs, const AttentionOutputs& outputs);
  /// The object is spent afterwards.
  Answers finish();

 private:
  void add_scores(const Tensor& scores, const TensorView& visible);

  void sample_every(std::span<const std::uint32_t> bits);

  Sha256 inputs_, selection_, scores_;
  bool any_ = false, any_selection_ = false, any_scores_ = false;
  std::vector<std::uint32_t> sample_;
};

/// Of one question.
template <class Inputs, class Outputs>
Answers answers_of(const Inputs& inputs, const Outputs& outputs) {
  AnswerDigest digest;
  digest.add(inputs, outputs);
  return digest.finish();
}

}  // namespace plumbline

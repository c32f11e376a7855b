#pragma once

#include "fixtures/sha256.h"
#include "fixtures/subject.h"
#include "oracle/report/answers.h"

namespace plumbline {

/// Digests of all questions of a check and the answers to them, in the order they were asked.
class AnswerDigest {
 public:
  void add(const SelectInputs& inputs, const SelectOutputs& outputs);
  /// Of a paged step the scores are left out: which of them are visible is the page table's to say.
  void add(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs);
  /// The object is spent afterwards.
  Answers finish();

 private:
  void add_scores(const Tensor& scores, const TensorView& visible);

  Sha256 inputs_, selection_, scores_;
  bool any_ = false, any_scores_ = false;
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

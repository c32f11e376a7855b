#pragma once

#include "fixtures/subject.h"
#include "oracle/run/answer_digest.h"

#include <cstdint>
#include <memory>

namespace plumbline {

/// Asks a subject the same question several times and passes its first answer on: a result that depends on
/// anything but the inputs shows as a call whose answers differ in a bit.
class RepeatedSubject final : public SelectSubject {
 public:
  RepeatedSubject(std::shared_ptr<SelectSubject> subject, int times)
      : subject_(std::move(subject)), times_(times) {}
  std::string name() const override { return subject_->name(); }
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

  /// Answers that were not the first one of their call, bit for bit.
  std::int64_t differing() const { return differing_; }
  std::int64_t answers() const { return answers_; }
  /// Of the questions and their first answers. To be asked for once, at the end.
  Answers digests() { return digest_.finish(); }

 private:
  template <typename Ask>
  auto repeated(const Ask& ask);

  std::shared_ptr<SelectSubject> subject_;
  int times_;
  AnswerDigest digest_;
  std::int64_t differing_ = 0, answers_ = 0;
};

}  // namespace plumbline

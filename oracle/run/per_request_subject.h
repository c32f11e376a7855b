#pragma once

#include "fixtures/subject.h"

#include <memory>
#include <utility>

namespace plumbline {

/// Serves a call of any requests through a subject that takes one: a call per request, with its rows, its
/// line of the page table and its length. Padded rows go along with the first. Score planes come back as wide
/// as the widest, NaN where a request has fewer columns.
class PerRequestSubject final : public SelectSubject {
 public:
  explicit PerRequestSubject(std::shared_ptr<SelectSubject> subject) : subject_(std::move(subject)) {}
  std::string name() const override { return subject_->name(); }
  SelectOutputs select(const SelectInputs& inputs) override { return subject_->select(inputs); }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

 private:
  std::shared_ptr<SelectSubject> subject_;
};

}  // namespace plumbline

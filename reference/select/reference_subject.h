#pragma once

#include "fixtures/subject.h"
#include "reference/select/certified_select.h"

namespace plumbline {

/// The CPU selection of this project as a subject: canonical on exact scores where query and key are given;
/// on scores_key order where only scores are. A row without exact score (a query or key that is not finite)
/// is ranked by the key bits of its float32 scores in a written order, and these are returned with the
/// rounded exact scores of the other rows.
class ReferenceSubject final : public SelectSubject {
 public:
  explicit ReferenceSubject(CertifyOptions options = {}) : options_(options) {}
  std::string name() const override { return "reference"; }
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;

 private:
  CertifyOptions options_;
};

}  // namespace plumbline

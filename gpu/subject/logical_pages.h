#pragma once

#include "fixtures/subject.h"

namespace plumbline::gpu {

/// A selection on logical blocks as a paged call of one request: pages of 16 keys in reverse order, and for
/// every row the position that lets it see its visible blocks. `inputs` has query and key; both stay alive
/// meanwhile. Throws UnsupportedCase where its tokens outgrow int32.
class LogicalPages {
 public:
  explicit LogicalPages(const SelectInputs& inputs);
  PagedSelectInputs inputs() const;

 private:
  SelectGeometry geometry_;
  TensorView query_;
  Tensor cache_, page_table_, token_to_request_, positions_, lengths_;
};

}  // namespace plumbline::gpu

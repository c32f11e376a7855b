#include "oracle/run/repeated_subject.h"

#include <optional>

namespace plumbline {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bytes == b.bytes;
}
bool same_bits(const std::optional<Tensor>& a, const std::optional<Tensor>& b) {
  return a.has_value() == b.has_value() && (!a || same_bits(*a, *b));
}
bool same_bits(const SelectOutputs& a, const SelectOutputs& b) {
  return same_bits(a.blocks, b.blocks) && same_bits(a.scores, b.scores);
}
bool same_bits(const PagedSelectOutputs& a, const PagedSelectOutputs& b) {
  return same_bits(a.selected_tokens, b.selected_tokens) && same_bits(a.selected_blocks, b.selected_blocks) &&
         same_bits(a.block_scores, b.block_scores);
}

}  // namespace

template <typename Ask>
auto RepeatedSubject::repeated(const Ask& ask) {
  auto first = ask();
  ++answers_;
  for (int time = 1; time < times_; ++time) {
    ++answers_;
    if (!same_bits(first, ask())) ++differing_;
  }
  return first;
}

SelectOutputs RepeatedSubject::select(const SelectInputs& inputs) {
  SelectOutputs first = repeated([&] { return subject_->select(inputs); });
  digest_.add(inputs, first);
  return first;
}

PagedSelectOutputs RepeatedSubject::select_paged(const PagedSelectInputs& inputs) {
  PagedSelectOutputs first = repeated([&] { return subject_->select_paged(inputs); });
  digest_.add(inputs, first);
  return first;
}

}  // namespace plumbline

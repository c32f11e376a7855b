#pragma once

#include "fixtures/tensor.h"

namespace plumbline {

/// What a tensor holds at one index of its first axis: a batch row, a layer. Refers to `tensor`.
inline TensorView slice(const Tensor& tensor, std::int64_t index) {
  TensorView view = tensor.view();
  view.data = view.at(index);
  view.shape.erase(view.shape.begin());
  view.strides.erase(view.strides.begin());
  return view;
}

}  // namespace plumbline

#pragma once

#include "reference/model/engine_arithmetic.h"

#include <optional>
#include <string_view>
#include <vector>

namespace plumbline {

/// What `hidden_act` and `output_gate_type` can name.
enum class Activation : std::uint8_t {
  silu,       ///< x·σ(x); "silu" or "swish"
  sigmoid,    ///< σ(x)
  relu,       ///< max(0, x)
  gelu,       ///< x·Φ(x), by the error function
  gelu_tanh,  ///< x·σ(2·√(2/π)·(x + 0.044715·x³)), which is x/2·(1 + tanh(…)); "gelu_pytorch_tanh"
};

/// The names Hugging Face's configs use; nothing for any other.
std::optional<Activation> find_activation(std::string_view name);
std::vector<std::string_view> activation_names();

/// One operation of an engine, before it is stored. float32 inside, as PyTorch's kernels compute 16-bit
/// tensors too.
template <typename Number>
Number activated(Activation activation, Number x, const BasicEngineArithmetic<Number>& arithmetic);

}  // namespace plumbline

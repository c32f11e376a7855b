#pragma once

#include "fixtures/dtype.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumbline {

/// One step of a tensor core: `terms` products and the accumulator are aligned to the largest exponent among
/// them and cut toward zero at `fraction_bits` bits below it, added exactly, and the sum is cut toward zero
/// to `result_bits` fraction bits of its own exponent.
struct TensorCoreStep {
  int terms;
  int fraction_bits;
  int result_bits;

  bool operator==(const TensorCoreStep&) const = default;
};

/// What is known of the matrix units of a compute capability.
struct TensorCore {
  std::string_view capability;    ///< "9.0"
  std::string_view architecture;  ///< "Hopper"
  bool bfloat16;                  ///< 16-bit operands may also be bf16
  TensorCoreStep half;            ///< of 16-bit operands with a float32 accumulator
  std::optional<TensorCoreStep> float8;
  std::string_view source;
  std::string_view evidence;  ///< of `half`: "source", or "measured" where mma.sync was compared on a device

  /// Its step for operands of a type; nothing where it has no such unit or none that is known.
  std::optional<TensorCoreStep> step_for(DType type) const;
};
std::span<const TensorCore> tensor_cores();
/// Null for a capability whose parameters are not known.
const TensorCore* find_tensor_core(std::string_view capability);

/// Exponent that a unit aligns an operand by: subnormals have that of the type's smallest normal number, and
/// zeros count as 2^-126.
int aligned_exponent(DType type, double value);

/// The accumulator after one step: `a` and `b` hold at most `terms` finite values of `type`. Finite results
/// only: a sum that reaches 2^128 becomes an infinity.
float tensor_core_step(const TensorCoreStep& step, DType type, float accumulator, std::span<const float> a,
                       std::span<const float> b);

/// Σ a·b as a chain of steps from +0, ascending: what m16n8k16 instructions in a row give.
float tensor_core_dot(const TensorCoreStep& step, DType type, std::span<const float> a,
                      std::span<const float> b);

}  // namespace plumbline

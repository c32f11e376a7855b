#include "reference/select/filter_kernel.h"

#include <cstring>

#define PLUMBLINE_TARGET

namespace plumbline {
namespace {

// Vectors of the compiler instead of intrinsics, so that this kernel also runs where the baseline is not
// SSE2.
typedef float Vector __attribute__((vector_size(16)));
typedef std::int32_t Bits __attribute__((vector_size(16)));
constexpr int kLanes = 4;
constexpr int kHeads = 4;  // 8 of 16 registers accumulate

inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void store(float* to, Vector value) { std::memcpy(to, &value, sizeof value); }
inline Vector broadcast(const float* from) { return Vector{*from, *from, *from, *from}; }
inline Vector add(Vector a, Vector b) { return a + b; }
inline Vector multiply(Vector a, Vector b) { return a * b; }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
inline Vector relu(Vector value) {
  const Bits positive = value > Vector{};
  return reinterpret_cast<Vector>(positive & reinterpret_cast<Bits>(value));
}

#include "reference/select/relu_tile.inc"

}  // namespace

const FilterKernel kFilterSse2{"sse2", kHeads, kVectors* kLanes, relu_tile};

}  // namespace plumbline

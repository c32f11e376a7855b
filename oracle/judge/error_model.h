#pragma once

#include "fixtures/tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace plumbline {

/// How far a float32 score may lie from the exact one; names and derives the bound E used by the `rounding`
/// verdict. Units are those of the unscaled score Σ_h max(0, q_h·k); bounds are rounded up.
class ErrorModel {
 public:
  virtual ~ErrorModel() = default;
  /// "float32_any_order", "tensor_core:9.0".
  virtual std::string name() const = 0;
  /// One line: the formula and its source.
  virtual std::string derivation() const = 0;
  /// `query` [heads, dim], `key` [dim]; `magnitude` = Σ_h Σ_d |q·k| rounded up.
  virtual double bound(const TensorView& query, const TensorView& key, double magnitude) const = 0;
};

/// γₙ·Σ|q·k|, n = dim + heads + 2, u = 2^-24, γₙ = n·u / (1 − n·u): every order of float32 additions, exact
/// or rounded products, one scaling (Higham 2002, §3.1), plus heads·n underflows of 2^-149. Assumes gradual
/// underflow and no overflow. Throws InputError when n reaches 2^23.
std::unique_ptr<ErrorModel> float32_any_order(std::int64_t heads, std::int64_t dim);

/// Accumulators that align and truncate (TOPK.md §6), by compute capability "7.0" … "9.0"; null for a
/// capability whose parameters are not known. The bound holds for k-steps of the stated length taken in
/// ascending order of dim, one accumulator per head. Input types a capability has no such unit for get
/// float32_any_order's bound.
std::unique_ptr<ErrorModel> tensor_core(const std::string& capability, std::int64_t heads, std::int64_t dim);

/// The model for a recorded score: tensor_core where the capability is given and known, else
/// float32_any_order.
std::unique_ptr<ErrorModel> error_model_for(const std::optional<std::string>& capability, std::int64_t heads,
                                            std::int64_t dim);

}  // namespace plumbline

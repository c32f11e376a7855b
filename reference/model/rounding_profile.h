#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumbline {

/// Where RoPE rounds to the storage type.
enum class RopeRounding : std::uint8_t {
  each_operation,  ///< x·cos, rotate_half(x)·sin and their sum
  once,            ///< the result
};

/// What an engine does to Σ_h max(0, q_h·k) before it ranks the blocks; d is the index head dim.
enum class ScoreScale : std::uint8_t {
  none,
  divide_by_root,            ///< / fl32(√d)
  multiply_by_inverse_root,  ///< · fl32(1/√d)
};

/// Where an engine rounds, as data: the same layer code serves every engine (MODEL.md §2, §3, §3.1).
struct RoundingProfile {
  std::string_view name;
  /// Operations between two stored tensors round to float32; false: they do not round at all.
  bool float32_arithmetic = true;
  bool store_activations = true;   ///< what one layer or module hands to the next is rounded to storage
  bool store_norm = true;          ///< a norm's result is rounded to storage before RoPE
  bool store_pooled_key = true;    ///< the mean of a block's raw keys is rounded to storage before the norm
  bool store_trigonometry = true;  ///< cos and sin are rounded to storage
  RopeRounding rope = RopeRounding::each_operation;
  ScoreScale score_scale = ScoreScale::none;
  /// Largest error of the engine's float32 1/√x; empty: a correctly rounded root and division.
  std::optional<double> reciprocal_root_ulp;
  /// Gated residual: every step from the norm to the mixed input is rounded to storage; false: only the
  /// result.
  bool store_residual_steps = true;
  bool store_beta = true;             ///< GDN: sigmoid(b) is rounded to storage
  bool store_convolution = true;      ///< GDN: the convolution is rounded to storage before its SiLU
  bool store_ple_convolution = true;  ///< the same of the PLE's convolution
  bool store_gated_norm_steps =
      true;                         ///< GDN: norm, weight and gate round to storage one by one; false: once
  bool store_probabilities = true;  ///< attention: P is rounded to storage before P·V
  /// Attention: P·V is divided by the sum of P (online softmax over one tile), whose scores are logarithms to
  /// the base 2, scaled by fl32(scale·log2 e); false: P is normalised before it is rounded.
  bool normalise_after_values = false;
  /// Attention: q·fl32(scale·log2 e) is rounded to storage before the dot product with k; false: the dot
  /// product is scaled.
  bool scale_query = false;
  bool store_scores = true;            ///< attention: q·k is rounded to storage before the softmax
  bool store_output_gate = true;       ///< attention: sigmoid(gate) is rounded to storage before the product
  bool store_router_weights = true;    ///< MoE: weights of the chosen experts are rounded to storage
  bool weight_before_down = false;     ///< MoE: the router weight multiplies before the down projection
  double trigonometry_ulp = 0;         ///< largest error of its float32 sin and cos
  double power_ulp = 0;                ///< largest error of its float32 pow
  double exponential_ulp = 0;          ///< largest error of its float32 exp
  double logarithm_ulp = 0;            ///< largest error of its float32 log1p
  double error_function_absolute = 0;  ///< largest error of its float32 erf, and besides that
  double error_function_ulp = 0;       ///< largest error of its float32 erf
  double hyperbolic_tangent_ulp = 0;   ///< largest error of its float32 tanh
};

/// No rounding but that of the stored query and key: the definition of the model.
const RoundingProfile& exact_profile();
/// Hugging Face transformers 5.17, eager, PyTorch on the CPU.
const RoundingProfile& hf_cpu_profile();
/// Hugging Face transformers 5.17, eager, PyTorch on CUDA.
const RoundingProfile& hf_cuda_profile();

/// All presets: the three above, then vllm, sglang, trtllm and llamacpp.
std::span<const RoundingProfile> rounding_profiles();
/// Null when no preset has that name.
const RoundingProfile* find_rounding_profile(std::string_view name);

}  // namespace plumbline

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
  bool store_norm = true;          ///< a norm's result is rounded to storage before RoPE
  bool store_pooled_key = true;    ///< the mean of a block's raw keys is rounded to storage before the norm
  bool store_trigonometry = true;  ///< cos and sin are rounded to storage
  RopeRounding rope = RopeRounding::each_operation;
  ScoreScale score_scale = ScoreScale::none;
  /// Largest error of the engine's float32 1/√x; empty: a correctly rounded root and division.
  std::optional<double> reciprocal_root_ulp;
  double trigonometry_ulp = 0;  ///< largest error of its float32 sin and cos
  double power_ulp = 0;         ///< largest error of its float32 pow
};

/// No rounding but that of the stored query and key: the definition of the model.
const RoundingProfile& exact_profile();
/// Hugging Face transformers 5.17, eager, PyTorch on the CPU.
const RoundingProfile& hf_cpu_profile();
/// Hugging Face transformers 5.17, eager, PyTorch on CUDA.
const RoundingProfile& hf_cuda_profile();

std::span<const RoundingProfile> rounding_profiles();
/// Null when no preset has that name.
const RoundingProfile* find_rounding_profile(std::string_view name);

}  // namespace plumbline

#include "reference/model/rounding_profile.h"

#include <array>

namespace plumbline {
namespace {

// Rounding points of both Hugging Face presets: MODEL.md §2, "Norms", "RoPE" and "QSA indexer".
constexpr std::array<RoundingProfile, 7> kProfiles = {{
    {.name = "exact",
     .float32_arithmetic = false,
     .store_activations = false,
     .store_norm = false,
     .store_pooled_key = false,
     .store_trigonometry = false,
     .rope = RopeRounding::once,
     .score_scale = ScoreScale::none,
     .reciprocal_root_ulp = {},
     .store_residual_steps = false,
     .store_beta = false,
     .store_convolution = false,
     .store_ple_convolution = false,
     .store_gated_norm_steps = false,
     .store_probabilities = false,
     .store_scores = false,
     .store_output_gate = false,
     .store_router_weights = false,
     .trigonometry_ulp = 0,
     .power_ulp = 0,
     .exponential_ulp = 0,
     .logarithm_ulp = 0,
     .error_function_ulp = 0,
     .hyperbolic_tangent_ulp = 0},
    {.name = "hf_cpu",
     .score_scale = ScoreScale::divide_by_root,  // measured on CPU captures (MODEL.md §2)
     .reciprocal_root_ulp = {},                  // ATen's Vectorized<float>::rsqrt is 1 / sqrt(x)
     .trigonometry_ulp = 1,                      // SLEEF's u10 functions: 1.0 ULP
     .power_ulp = 1,                             // the same
     .exponential_ulp = 1,
     .logarithm_ulp = 1,
     // ATen's vectorised erf (vec512_float.h): Abramowitz and Stegun 1964, 7.1.26, 1.5e-7 off, its
     // coefficients of 4.46 in all rounded seven times
     .error_function_absolute = 1.5e-7 + 7 * 4.46 * 0x1p-24,
     .error_function_ulp = 1,
     .hyperbolic_tangent_ulp = 1},
    {.name = "hf_cuda",
     .score_scale = ScoreScale::multiply_by_inverse_root,  // measured on H200 captures (MODEL.md §2)
     // CUDA C++ Programming Guide, single-precision mathematical functions: rsqrtf 2, sinf and cosf 2, powf
     // 4, expf 2, log1pf 1, erff 2, tanhf 2 ULP
     .reciprocal_root_ulp = 2,
     .trigonometry_ulp = 2,
     .power_ulp = 4,
     .exponential_ulp = 2,
     .logarithm_ulp = 1,
     .error_function_ulp = 2,
     .hyperbolic_tangent_ulp = 2},
    // The rows of MODEL.md §3 that each field was read from are named once, in vllm. Not modelled, as no
    // switch tells them apart: roundings inside the chunked delta rule's kernels (TF32 and bf16 operands),
    // softplus as log(1 + e^x), and tiles of the online softmax after the first.
    {.name = "vllm",
     .store_norm = true,               // "indexer q norm+RoPE": norm fp32, cast to cos dtype
     .store_pooled_key = true,         // "pooled key": sum/4 fp32 to bf16
     .store_trigonometry = true,       // "indexer q norm+RoPE": RoPE in the cos dtype
     .rope = RopeRounding::once,       // the same row, inferred
     .score_scale = ScoreScale::none,  // "score": no scale
     .reciprocal_root_ulp = 2,         // as hf_cuda
     .store_residual_steps = false,    // "HC norm → mix", "HC combine": one rounding at the end
     .store_beta = false,              // "GDN beta": fp32
     .store_convolution = false,       // "GDN conv": fp32 conv and SiLU, one rounding (inferred)
     .store_ple_convolution = true,    // "PLE conv": fp32 accumulator to bf16, then SiLU
     .store_gated_norm_steps = false,  // "GDN gated norm": all fp32, one rounding
     .store_probabilities = true,      // "softmax": unnormalised P to bf16
     .normalise_after_values = true,   // "softmax": online
     .scale_query = false,             // "attention scores": fp32 × (scale·log2e)
     .store_scores = false,            // "attention scores": fp32
     .store_output_gate = false,       // "out × gate": sigmoid fp32
     .store_router_weights = false,    // "router": weights stay fp32 (inferred)
     .weight_before_down = false,      // "expert weighting": after down
     .trigonometry_ulp = 2,
     .power_ulp = 4,
     .exponential_ulp = 2,
     .logarithm_ulp = 1,
     .error_function_ulp = 2,
     .hyperbolic_tangent_ulp = 2},
    {.name = "sglang",
     .store_norm = true,
     .store_pooled_key = true,                   // "pooled key": per-op bf16 after the fp32 mean
     .store_trigonometry = false,                // "indexer q norm+RoPE": fp32 cos and sin required
     .rope = RopeRounding::each_operation,       // the same row: per-op bf16 rounding
     .score_scale = ScoreScale::divide_by_root,  // "score": / sqrt(128)
     .reciprocal_root_ulp = 2,
     .store_residual_steps = false,    // "HC norm → mix": torch.compile drops inner roundings
     .store_beta = false,              // "GDN beta": prefill fp32; decode had rounded to bf16
     .store_convolution = false,       // inferred, as vllm
     .store_ple_convolution = true,    // "PLE conv": the same idea as vllm
     .store_gated_norm_steps = false,  // "GDN gated norm": same kernel family as vllm
     .store_probabilities = true,
     .normalise_after_values = true,  // "softmax": online
     .scale_query = true,             // "attention scores": q×scale×log2e re-rounded to bf16
     .store_scores = false,
     .store_output_gate = true,      // "out × gate": eager bf16
     .store_router_weights = false,  // inferred, as vllm
     .weight_before_down = false,
     .trigonometry_ulp = 2,
     .power_ulp = 4,
     .exponential_ulp = 2,
     .logarithm_ulp = 1,
     .error_function_ulp = 2,
     .hyperbolic_tangent_ulp = 2},
    {.name = "trtllm",
     .store_norm = true,        // "indexer q norm+RoPE": norm, then cos dtype
     .store_pooled_key = true,  // "pooled key": fp32 to bf16, then norm
     .store_trigonometry = true,
     .rope = RopeRounding::once,                           // the same row: RoPE, then bf16
     .score_scale = ScoreScale::multiply_by_inverse_root,  // "score": Σrelu × d^-0.5
     .reciprocal_root_ulp = 2,
     .store_residual_steps = false,    // "HC norm → mix": adapted from vLLM, same
     .store_beta = false,              // not read; inferred from the FLA family
     .store_convolution = false,       // inferred, as vllm
     .store_ple_convolution = true,    // "PLE conv": taps fp32 to bf16, then SiLU
     .store_gated_norm_steps = false,  // not read; inferred from the FLA family
     .store_probabilities = true,      // "softmax": P to bf16
     .normalise_after_values = true,   // "softmax": online
     .scale_query = false,             // "attention scores": fp32, exp2
     .store_scores = false,
     .store_output_gate = true,      // "out × gate": eager bf16
     .store_router_weights = false,  // inferred, as vllm
     .weight_before_down = false,
     .trigonometry_ulp = 2,
     .power_ulp = 4,
     .exponential_ulp = 2,
     .logarithm_ulp = 1,
     .error_function_ulp = 2,
     .hyperbolic_tangent_ulp = 2},
    // "activations between ops": f32 everywhere. The raw index keys are stored all the same ("pooled key": KV
    // type), as every profile's are.
    {.name = "llamacpp",
     .store_activations = false,
     .store_norm = false,
     .store_pooled_key = false,  // "pooled key": pooled in f32, no rounding
     .store_trigonometry = false,
     .rope = RopeRounding::once,
     .score_scale = ScoreScale::none,  // "score": no scale
     .reciprocal_root_ulp = {},        // ggml's norms divide by sqrtf
     .store_residual_steps = false,
     .store_beta = false,
     .store_convolution = false,
     .store_ple_convolution = false,
     .store_gated_norm_steps = false,
     .store_probabilities = false,
     .normalise_after_values = false,  // "softmax": full
     .scale_query = false,
     .store_scores = false,
     .store_output_gate = false,
     .store_router_weights = false,  // "router": f32
     .weight_before_down = false,
     .trigonometry_ulp = 1,
     .power_ulp = 1,
     .exponential_ulp = 2,  // ggml_v_expf states 1.45358 + 0.5 ULP
     .logarithm_ulp = 1,
     .error_function_ulp = 1,  // glibc's manual, known maximum errors: erff 1, tanhf 2 ULP
     .hyperbolic_tangent_ulp = 2},
}};

}  // namespace

const RoundingProfile& exact_profile() { return kProfiles[0]; }
const RoundingProfile& hf_cpu_profile() { return kProfiles[1]; }
const RoundingProfile& hf_cuda_profile() { return kProfiles[2]; }

std::span<const RoundingProfile> rounding_profiles() { return kProfiles; }

const RoundingProfile* find_rounding_profile(std::string_view name) {
  for (const RoundingProfile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace plumbline

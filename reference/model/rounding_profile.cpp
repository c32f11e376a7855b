#include "reference/model/rounding_profile.h"

#include <array>

namespace plumbline {
namespace {

// Rounding points of both Hugging Face presets: MODEL.md §2, "Norms", "RoPE" and "QSA indexer".
constexpr std::array<RoundingProfile, 3> kProfiles = {{
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
     .store_gated_norm_steps = false,
     .store_probabilities = false,
     .store_scores = false,
     .store_output_gate = false,
     .store_router_weights = false,
     .trigonometry_ulp = 0,
     .power_ulp = 0,
     .exponential_ulp = 0,
     .logarithm_ulp = 0},
    {.name = "hf_cpu",
     .score_scale = ScoreScale::divide_by_root,  // measured on CPU captures (MODEL.md §2)
     .reciprocal_root_ulp = {},                  // ATen's Vectorized<float>::rsqrt is 1 / sqrt(x)
     .trigonometry_ulp = 1,                      // SLEEF's u10 functions: 1.0 ULP
     .power_ulp = 1,                             // the same
     .exponential_ulp = 1,
     .logarithm_ulp = 1},
    {.name = "hf_cuda",
     .score_scale = ScoreScale::multiply_by_inverse_root,  // measured on H200 captures (MODEL.md §2)
     // CUDA C++ Programming Guide, single-precision mathematical functions: rsqrtf 2, sinf and cosf 2, powf
     // 4, expf 2, log1pf 1 ULP
     .reciprocal_root_ulp = 2,
     .trigonometry_ulp = 2,
     .power_ulp = 4,
     .exponential_ulp = 2,
     .logarithm_ulp = 1},
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

#pragma once

#include "reference/model/activation.h"
#include "reference/model/causal_convolution.h"
#include "reference/model/delta_rule.h"
#include "reference/model/delta_rule_chunk.h"
#include "reference/numeric/linear.h"

#include <vector>

namespace plumbline {

/// One Gated DeltaNet layer (MODEL.md §2, GDN). Value head j uses key head j div (value heads / key heads).
struct GatedDeltaNetWeights {
  std::int64_t key_heads = 16, value_heads = 48, key_dim = 128, value_dim = 128;
  double epsilon = 1e-6;
  Activation activation = Activation::silu;  ///< behind the convolution
  Activation output_gate = Activation::silu;
  LinearWeight qkv;                        ///< [2·key_heads·key_dim + value_heads·value_dim, hidden]
  LinearWeight z;                          ///< [value_heads·value_dim, hidden]
  LinearWeight b, a;                       ///< [value_heads, hidden]
  ConvolutionWeights convolution;          ///< over all qkv channels, dilation 1
  std::vector<double> decay_log, dt_bias;  ///< A_log and dt_bias, [value_heads]
  std::vector<double> norm;                ///< [value_dim], a plain gain
  LinearWeight out;                        ///< [hidden, value_heads·value_dim]

  std::int64_t channels() const { return 2 * key_heads * key_dim + value_heads * value_dim; }
};

/// Which of the equivalent forms of the delta rule computes the recurrence.
enum class DeltaRuleForm : std::uint8_t {
  recurrent,
  chunked,          ///< the chunk grid starts at each call's first token, as engines have it
  chunked_on_grid,  ///< chunks start at multiples of kDeltaRuleChunk: any split into calls gives the same
                    ///< bits
};

/// What a sequence leaves behind in one layer.
template <typename Number>
struct GatedDeltaNetState {
  Rows<Number> convolution;         ///< [taps − 1, channels]: the last inputs of the convolution
  std::vector<Rows<Number>> heads;  ///< per value head [key_dim, value_dim], after the last token
  /// Per value head, for chunked_on_grid alone: the chunk that holds the last token, behind the one before
  /// where there was one. `heads` is the state after the last chunk.
  std::vector<std::vector<DeltaRuleChunk<Number>>> grid;
  Rows<Number> earlier;  ///< up to kTakeBackReach inputs of the convolution before those in `convolution`

  explicit GatedDeltaNetState(const GatedDeltaNetWeights& weights);
};

/// Whether the last `tokens` tokens can be taken out of the state: on the grid, and few enough.
template <typename Number>
bool can_take_back(const GatedDeltaNetState<Number>& state, std::int64_t tokens);
/// Leaves `convolution`, `heads` and the last chunk as if the last `tokens` tokens had never been.
template <typename Number>
void take_back(GatedDeltaNetState<Number>& state, std::int64_t tokens,
               const BasicEngineArithmetic<Number>& arithmetic);

/// Results of the layer's steps that engines expose.
template <typename Number>
struct GatedDeltaNetTrace {
  Rows<Number> projected;   ///< [T, channels] q, k, v before the convolution
  Rows<Number> recurrence;  ///< [T·value_heads, value_dim] the delta rule's output
  Rows<Number> normed;      ///< the same after the gated norm
};

/// x [T, hidden] → [T, hidden]; moves `state` on past x. `trace` may be null.
template <typename Number>
Rows<Number> gated_delta_net(const Rows<Number>& x, const GatedDeltaNetWeights& weights, DeltaRuleForm form,
                             const BasicEngineArithmetic<Number>& arithmetic,
                             GatedDeltaNetState<Number>& state, GatedDeltaNetTrace<Number>* trace = nullptr);

// The layer's steps, for replaying each on an engine's own inputs.

/// Convolution, gates and the delta rule on projected inputs: [T·value_heads, value_dim], an activation.
template <typename Number>
Rows<Number> delta_rule_of_projection(const Rows<Number>& projected, const Rows<Number>& b,
                                      const Rows<Number>& a, const GatedDeltaNetWeights& weights,
                                      DeltaRuleForm form, const BasicEngineArithmetic<Number>& arithmetic,
                                      GatedDeltaNetState<Number>& state);
/// RMSNorm of each head's output times the plain gain times act(z); z is [T, value_heads·value_dim].
template <typename Number>
Rows<Number> gated_norm(const Rows<Number>& recurrence, const Rows<Number>& z,
                        const GatedDeltaNetWeights& weights, const BasicEngineArithmetic<Number>& arithmetic);
/// [T·heads, dim] as [T, heads·dim] and back; the numbers lie the same way.
template <typename Number>
Rows<Number> reshaped(Rows<Number> x, std::int64_t rows);

}  // namespace plumbline

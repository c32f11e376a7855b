#include "oracle/replay/replay_model.h"
#include "oracle/replay/replay_report.h"
#include "oracle/replay/teacher_forced.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/mutant.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

// Models with a fault, put beside the recording of one without: teacher-forced, every operation by itself.
namespace plumbline::selftest {
namespace {

using Change = std::function<float(float value, std::int64_t output, std::int64_t k)>;

LinearWeight changed(const LinearWeight& weight, const Change& change) {
  std::vector<float> elements;
  for (std::int64_t output = 0; output < weight.outputs(); ++output) {
    for (std::int64_t k = 0; k < weight.inner(); ++k)
      elements.push_back(change(weight.at(output, k), output, k));
  }
  return {elements, weight.outputs(), weight.inner()};
}

/// Outputs in another order.
LinearWeight rearranged(const LinearWeight& weight, const std::function<std::int64_t(std::int64_t)>& source) {
  return changed(weight,
                 [&](float, std::int64_t output, std::int64_t k) { return weight.at(source(output), k); });
}

struct ModelFault {
  std::string id, hazard, about, check;
  std::function<void(ReplayModel&)> plant;
};

template <typename Plant>
std::function<void(ReplayModel&)> in_layers(Plant plant) {
  return [plant](ReplayModel& model) {
    for (LayerWeights& layer : model.weights.layers) plant(layer, model.config);
  };
}

std::function<void(ReplayModel&)> in_delta_nets(std::function<void(GatedDeltaNetWeights&)> plant) {
  return in_layers([plant](LayerWeights& layer, const ModelConfig&) {
    if (layer.delta_net) plant(*layer.delta_net);
  });
}

std::function<void(ReplayModel&)> in_attention(std::function<void(QsaWeights&, const ModelConfig&)> plant) {
  return in_layers([plant](LayerWeights& layer, const ModelConfig& config) {
    if (layer.attention) plant(*layer.attention, config);
  });
}

std::function<void(ReplayModel&)> in_ple(std::function<void(PleWeights&)> plant) {
  return in_layers([plant](LayerWeights& layer, const ModelConfig&) {
    if (layer.ple) plant(*layer.ple);
  });
}

std::function<void(ReplayModel&)> in_experts(std::function<void(MixtureOfExpertsWeights&)> plant) {
  return in_layers([plant](LayerWeights& layer, const ModelConfig&) { plant(layer.experts); });
}

std::function<void(ReplayModel&)> in_residuals(std::function<void(GatedResidualWeights&)> plant) {
  return in_layers([plant](LayerWeights& layer, const ModelConfig&) {
    plant(layer.attention_residual);
    plant(layer.mlp_residual);
  });
}

void add_to(std::vector<double>& gains, double what) {
  for (double& gain : gains) gain += what;
}

std::vector<ModelFault> delta_net_faults() {
  return {
      {"delta_net.gain_as_1_plus_w", "MODEL §2", "the output norm's gain is applied as 1 + w",
       "delta_net.gated_norm", in_delta_nets([](GatedDeltaNetWeights& net) { add_to(net.norm, 1); })},
      {"delta_net.taps_reversed", "CASES E6", "the convolution's first tap meets the current token",
       "delta_net.recurrence", in_delta_nets([](GatedDeltaNetWeights& net) {
         const auto taps = static_cast<std::ptrdiff_t>(net.convolution.taps);
         auto& filter = net.convolution.filter;
         for (auto at = filter.begin(); at != filter.end(); at += taps) std::reverse(at, at + taps);
       })},
      {"delta_net.no_decay_bias", "CASES E11", "dt_bias is left out", "delta_net.state",
       in_delta_nets([](GatedDeltaNetWeights& net) { std::ranges::fill(net.dt_bias, 0.0); })},
      {"delta_net.decay_not_logarithmic", "MODEL §2", "A_log is taken for its exponential", "delta_net.state",
       in_delta_nets([](GatedDeltaNetWeights& net) {
         for (double& decay : net.decay_log) decay = std::log(std::max(std::abs(decay), 1e-3));
       })},
      {"delta_net.value_heads_reversed", "CASES E6", "value heads are taken in reverse",
       "delta_net.projection", in_delta_nets([](GatedDeltaNetWeights& net) {
         const std::int64_t first = 2 * net.key_heads * net.key_dim;
         net.qkv = rearranged(net.qkv, [&](std::int64_t output) {
           return output < first ? output : first + (net.channels() - 1 - output);
         });
       })},
      {"delta_net.gate_and_decay_exchanged", "CASES E8", "a and b change places", "delta_net.recurrence",
       in_delta_nets([](GatedDeltaNetWeights& net) { std::swap(net.a, net.b); })},
      {"delta_net.gate_of_sigmoid", "MODEL §2", "the output gate is a sigmoid", "delta_net.gated_norm",
       in_delta_nets([](GatedDeltaNetWeights& net) { net.output_gate = Activation::sigmoid; })},
  };
}

std::vector<ModelFault> attention_faults() {
  return {
      {"attention.gain_without_1", "MODEL §2", "the query norm's gain is w, not 1 + w",
       "attention.query_norm",
       in_attention([](QsaWeights& attention, const ModelConfig&) { add_to(attention.query_norm, -1); })},
      {"attention.query_and_gate_exchanged", "MODEL §1", "a head's gate lies before its query",
       "attention.query_norm", in_attention([](QsaWeights& attention, const ModelConfig& config) {
         const std::int64_t dim = config.attention.head_dim;
         attention.query_and_gate = rearranged(attention.query_and_gate, [dim](std::int64_t output) {
           return output % (2 * dim) < dim ? output + dim : output - dim;
         });
       })},
      {"attention.frequencies_of_bf16", "CASES G5", "RoPE's frequencies are rounded to bf16",
       "attention.keys",
       [](ReplayModel& model) {
         for (float& frequency : model.weights.inverse_frequencies)
           frequency = static_cast<float>(round_to(DType::bfloat16, frequency));
       }},
      {"attention.keys_of_the_other_head", "ROUTES §4", "key heads are taken in reverse",
       "attention.key_norm", in_attention([](QsaWeights& attention, const ModelConfig& config) {
         const std::int64_t dim = config.attention.head_dim, heads = attention.key.outputs() / dim;
         attention.key = rearranged(attention.key, [dim, heads](std::int64_t output) {
           return (heads - 1 - output / dim) * dim + output % dim;
         });
       })},
      {"attention.value_column_left_out", "CASES D10", "the values' last column is left out",
       "attention.values", in_attention([](QsaWeights& attention, const ModelConfig&) {
         const std::int64_t last = attention.value.outputs() - 1;
         attention.value = changed(attention.value, [last](float value, std::int64_t output, std::int64_t) {
           return output == last ? 0.0F : value;
         });
       })},
      {"attention.residual_of_every_rank", "CASES H3", "each of two ranks adds the whole output projection",
       "attention.out", in_attention([](QsaWeights& attention, const ModelConfig&) {
         attention.out =
             changed(attention.out, [](float value, std::int64_t, std::int64_t) { return 2 * value; });
       })},
      {"indexer.projection_row_left_out", "CASES B10", "the index projection's first row is left out",
       "indexer.projection", in_attention([](QsaWeights& attention, const ModelConfig&) {
         attention.index = changed(attention.index, [](float value, std::int64_t output, std::int64_t) {
           return output == 0 ? 0.0F : value;
         });
       })},
  };
}

std::vector<ModelFault> residual_faults() {
  return {
      {"residual.streams_exchanged", "CASES F3", "the norm's gains of the streams are exchanged",
       "gated_residual.input", in_residuals([](GatedResidualWeights& residual) {
         const auto width = static_cast<std::ptrdiff_t>(residual.norm.size()) / residual.streams;
         std::ranges::rotate(residual.norm, residual.norm.begin() + width);
       })},
      {"residual.injection_of_the_next_stream", "MODEL §2", "a stream takes the next one's share",
       "gated_residual.injection", in_residuals([](GatedResidualWeights& residual) {
         if (!residual.inject) return;
         const std::int64_t streams = residual.streams;
         residual.inject =
             rearranged(*residual.inject, [streams](std::int64_t output) { return (output + 1) % streams; });
       })},
      {"residual.inject_of_4_bits", "CASES G8", "the injection's weights have two significant bits",
       "gated_residual.injection", in_residuals([](GatedResidualWeights& residual) {
         if (!residual.inject) return;
         residual.inject = changed(*residual.inject, [](float value, std::int64_t, std::int64_t) {
           int exponent = 0;
           const float fraction = std::frexp(value, &exponent);
           return std::ldexp(std::round(fraction * 4) / 4, exponent);
         });
       })},
      {"residual.rank_left_out", "MODEL §2", "the gate's last rank is left out", "gated_residual.input",
       in_residuals([](GatedResidualWeights& residual) {
         const std::int64_t last = residual.up.inner() - 1;
         residual.up = changed(residual.up, [last](float value, std::int64_t, std::int64_t k) {
           return k == last ? 0.0F : value;
         });
       })},
      {"residual.epsilon", "MODEL §2", "epsilon of the norm is 1e-6, whatever the config says",
       "gated_residual.input", in_residuals([](GatedResidualWeights& residual) { residual.epsilon = 1e-6; })},
  };
}

std::vector<ModelFault> experts_faults() {
  return {
      {"experts.weights_as_they_come", "MODEL §2", "the chosen experts' weights are not divided by their sum",
       "router.weights",
       in_experts([](MixtureOfExpertsWeights& experts) { experts.renormalise = !experts.renormalise; })},
      {"experts.next_expert", "CASES G4", "each token goes to the expert after the chosen one", "experts",
       in_experts([](MixtureOfExpertsWeights& experts) {
         std::ranges::rotate(experts.experts, experts.experts.begin() + 1);
       })},
      {"experts.gate_and_up_exchanged", "CASES G2", "gate and up change places", "experts",
       in_experts([](MixtureOfExpertsWeights& experts) {
         for (GatedMlpWeights& expert : experts.experts) std::swap(expert.gate, expert.up);
       })},
      {"experts.scale_of_one_expert", "CASES G2", "up is 1.25 times too large in one expert", "experts",
       in_experts([](MixtureOfExpertsWeights& experts) {
         experts.experts[0].up = changed(
             experts.experts[0].up, [](float value, std::int64_t, std::int64_t) { return 1.25F * value; });
       })},
      {"experts.shared_gate_left_out", "MODEL §2", "the shared expert's gate is one half", "mlp.out",
       in_experts([](MixtureOfExpertsWeights& experts) {
         experts.shared_gate =
             changed(experts.shared_gate, [](float, std::int64_t, std::int64_t) { return 0.0F; });
       })},
      {"experts.relu", "MODEL §2", "the experts' activation is another", "shared_expert",
       in_experts([](MixtureOfExpertsWeights& experts) { experts.activation = Activation::relu; })},
      {"experts.router_of_bf16", "MODEL §3", "the router's weights are rounded to bf16", "router.logits",
       in_experts([](MixtureOfExpertsWeights& experts) {
         experts.router = changed(experts.router, [](float value, std::int64_t, std::int64_t) {
           return static_cast<float>(round_to(DType::bfloat16, value));
         });
       })},
  };
}

std::vector<ModelFault> ple_faults() {
  return {
      {"ple.table_of_the_next_row", "CASES A6", "n-grams find the row after theirs", "ple.embedding",
       in_ple([](PleWeights& ple) {
         for (std::int64_t& offset : ple.tables.head_offsets) ++offset;
         ple.tables.head_offsets.back() -= 2;
       })},
      {"ple.multipliers_exchanged", "CASES A6", "the token takes its predecessor's multiplier",
       "ple.embedding",
       in_ple([](PleWeights& ple) { std::swap(ple.tables.multipliers[0], ple.tables.multipliers[1]); })},
      {"ple.another_end", "CASES A6", "another token ends a sequence", "ple.embedding",
       in_ple([](PleWeights& ple) { ple.end_of_sequence = (ple.end_of_sequence + 1) % 8; })},
      {"ple.dilation_1", "MODEL §2", "the convolution reads the tokens side by side", "ple.out",
       in_ple([](PleWeights& ple) {
         // The same history, of which the taps that lie apart are silent.
         const auto taps = static_cast<std::size_t>(ple.convolution.taps);
         for (std::size_t at = 0; at < ple.convolution.filter.size(); at += taps)
           ple.convolution.filter[at] = 0;
       })},
      {"ple.key_norm_left_out", "MODEL §2", "the key norm's gain is 1", "ple.out",
       in_ple([](PleWeights& ple) { std::ranges::fill(ple.norm_key, 1.0); })},
  };
}

std::vector<ModelFault> end_faults() {
  return {
      {"embedding.next_token", "CASES H4", "a token finds the next one's embedding", "embedding",
       [](ReplayModel& model) {
         const auto width =
             static_cast<std::ptrdiff_t>(model.weights.embedding.size()) / model.config.vocab_size;
         std::ranges::rotate(model.weights.embedding, model.weights.embedding.begin() + width);
       }},
      {"head.of_bf16", "CASES H4", "the head's weights are rounded to bf16", "logits",
       [](ReplayModel& model) {
         model.weights.head = changed(model.weights.head, [](float value, std::int64_t, std::int64_t) {
           return static_cast<float>(round_to(DType::bfloat16, value));
         });
       }},
  };
}

std::vector<ModelFault> model_faults() {
  std::vector<ModelFault> all;
  for (const auto& faults : {delta_net_faults(), attention_faults(), residual_faults(), experts_faults(),
                             ple_faults(), end_faults()})
    all.insert(all.end(), faults.begin(), faults.end());
  return all;
}

Trial try_model(const ModelFault& fault, const ModelCapture& capture) {
  Trial trial;
  trial.passes_tolerance = true;
  ReplayModel model = load_replay_model(capture);
  if (fault.plant) fault.plant(model);
  for (const TapReport& tap : TeacherForcedReplay(capture, hf_cpu_profile(), std::move(model)).run()) {
    ++trial.cases;
    if (!(tap.max_abs <= 1e-4)) trial.passes_tolerance = false;
    if (!tap.within_bound())
      accuse(trial, tap.operation,
             fmt::format("{} {}: {} of {} elements beyond their bounds", tap.forward, tap.name,
                         tap.beyond_bound, tap.elements));
  }
  return trial;
}

}  // namespace

Suite model_suite(const std::string& capture_file) {
  Suite suite;
  suite.name = "model";
  suite.generated = false;
  const auto faults = std::make_shared<const std::vector<ModelFault>>(model_faults());
  for (const ModelFault& fault : *faults) {
    suite.mutants.push_back({fault.id, fault.hazard, fault.about, fault.check});
    if (std::ranges::find(suite.checks, fault.check) == suite.checks.end())
      suite.checks.push_back(fault.check);
  }
  suite.run = [faults, capture_file](std::string_view id, std::uint64_t) {
    const auto found = std::ranges::find_if(*faults, [&](const ModelFault& fault) { return fault.id == id; });
    return try_model(found == faults->end() ? ModelFault{} : *found, ModelCapture(capture_file));
  };
  return suite;
}

}  // namespace plumbline::selftest

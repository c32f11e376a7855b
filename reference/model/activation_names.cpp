#include "reference/model/activation.h"

#include <array>
#include <utility>

namespace plumbline {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 6> kNames = {
    {{"silu", Activation::silu},
     {"swish", Activation::silu},
     {"sigmoid", Activation::sigmoid},
     {"relu", Activation::relu},
     {"gelu", Activation::gelu},
     {"gelu_pytorch_tanh", Activation::gelu_tanh}}};

}  // namespace

std::optional<Activation> find_activation(std::string_view name) {
  for (const auto& [known, activation] : kNames) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

std::vector<std::string_view> activation_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, activation] : kNames) names.push_back(name);
  return names;
}

}  // namespace plumbline

#include "oracle/summation/cpu_boxes.h"

#include "fixtures/error.h"
#include "reference/numeric/linear.h"
#include "reference/numeric/ordered_sum.h"
#include "reference/numeric/tensor_core.h"

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

namespace plumbline {
namespace {

using Terms = std::span<const float>;

class FunctionBox final : public SumBox {
 public:
  FunctionBox(std::string name, std::int64_t terms, std::function<double(Terms)> sum, bool gives_bits)
      : name_(std::move(name)), terms_(terms), sum_(std::move(sum)), gives_bits_(gives_bits) {}
  std::string name() const override { return name_; }
  std::int64_t terms() const override { return terms_; }
  double mask() const override { return 0x1p60; }  // beyond a double accumulator, too
  bool gives_bits() const override { return gives_bits_; }
  std::vector<double> sums(Terms rows) override {
    std::vector<double> all;
    const auto width = static_cast<std::size_t>(terms_);
    for (std::size_t first = 0; first < rows.size(); first += width)
      all.push_back(sum_(rows.subspan(first, width)));
    return all;
  }

 private:
  std::string name_;
  std::int64_t terms_;
  std::function<double(Terms)> sum_;
  bool gives_bits_;
};

class TensorCoreBox final : public SumBox {
 public:
  TensorCoreBox(std::string name, TensorCoreStep step, DType type, std::int64_t terms)
      : name_(std::move(name)), step_(step), type_(type), terms_(terms) {}
  std::string name() const override { return name_; }
  std::int64_t terms() const override { return terms_; }
  bool gives_bits() const override { return true; }
  std::vector<double> sums(Terms rows) override {
    constexpr float kFactor = 0x1p15f;  // splits the range of the terms between both operands
    const auto width = static_cast<std::size_t>(terms_);
    const std::vector<float> factors(width, kFactor);
    std::vector<float> scaled(rows.begin(), rows.end());
    for (float& term : scaled) term /= kFactor;
    std::vector<double> all;
    for (std::size_t first = 0; first < rows.size(); first += width)
      all.push_back(tensor_core_dot(step_, type_, std::span(scaled).subspan(first, width), factors));
    return all;
  }

 private:
  std::string name_;
  TensorCoreStep step_;
  DType type_;
  std::int64_t terms_;
};

float eigen_sum(Terms terms) {
  return Eigen::Map<const Eigen::ArrayXf>(terms.data(), std::ssize(terms)).sum();
}
float eigen_dot(Terms terms) {
  const Eigen::VectorXf ones = Eigen::VectorXf::Ones(std::ssize(terms));
  return Eigen::Map<const Eigen::VectorXf>(terms.data(), std::ssize(terms)).dot(ones);
}
float eigen_product(Terms terms) {
  constexpr Eigen::Index kSide = 32;
  const Eigen::MatrixXf ones = Eigen::MatrixXf::Ones(std::ssize(terms), kSide);
  Eigen::MatrixXf rows(kSide, std::ssize(terms));
  rows.rowwise() = Eigen::Map<const Eigen::RowVectorXf>(terms.data(), std::ssize(terms));
  return (rows * ones).eval()(0, 0);
}
double reference_linear(Terms terms) {
  const std::vector<double> ones(terms.size(), 1.0);
  double out = 0;
  linear(ones, 1, LinearWeight(terms, 1, std::ssize(terms)), Products::exact, {&out, 1});
  return out;
}

/// "a=1,b=x" as pairs; what is asked for is taken out.
class Settings {
 public:
  Settings(std::string box, std::string_view text) : box_(std::move(box)) {
    while (!text.empty()) {
      const std::size_t comma = text.find(',');
      const std::string_view one = text.substr(0, comma);
      const std::size_t equals = one.find('=');
      if (equals == std::string_view::npos) refuse(one);
      values_[std::string(one.substr(0, equals))] = one.substr(equals + 1);
      text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    }
  }

  std::string take(const std::string& key, const std::string& otherwise) {
    const auto found = values_.find(key);
    if (found == values_.end()) return otherwise;
    std::string value = found->second;
    values_.erase(found);
    return value;
  }
  std::int64_t take_count(const std::string& key) {
    const std::string text = take(key, "1");
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > 1 << 16)
      refuse(key + "=" + text);
    return count;
  }
  void finish() const {
    if (!values_.empty()) refuse(values_.begin()->first);
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw InputError(fmt::format("subject '{}': '{}' is not understood", box_, what));
  }

 private:
  std::string box_;
  std::map<std::string, std::string> values_;
};

SplitPlan plan_from(Settings& settings, std::int64_t terms) {
  const std::int64_t splits = settings.take_count("splits");
  const std::string partition = settings.take("partition", "contiguous");
  if (partition != "contiguous" && partition != "strided") settings.refuse("partition=" + partition);
  SplitPlan plan;
  plan.splits =
      partition == "strided" ? strided_partition(terms, splits) : contiguous_partition(terms, splits);
  plan.local = sum_order_from(settings.take("local", "sequential"));
  plan.merge = tree_of(sum_order_from(settings.take("merge", "sequential")), splits);
  return plan;
}

}  // namespace

std::unique_ptr<SumBox> function_box(std::string name, std::int64_t terms, std::function<double(Terms)> sum) {
  return std::make_unique<FunctionBox>(std::move(name), terms, std::move(sum), true);
}

std::unique_ptr<SumBox> plan_box(std::string name, SplitPlan plan) {
  const std::int64_t terms = plan.terms();
  return function_box(std::move(name), terms, [sum = SplitSum(std::move(plan))](Terms row) {
    return static_cast<double>(sum.operator()<float>(row));
  });
}

std::unique_ptr<SumBox> attention_box(std::string name, SplitAttentionPlan plan) {
  const std::int64_t tokens = plan.tokens.terms();
  auto sum = [attend = SplitAttention<float>(std::move(plan)), tokens](Terms values) {
    const std::vector<float> query = {0}, keys(values.size(), 0.0f);
    const float mean = attend({query, keys, values, tokens, 1, 1, 1}).out[0];
    return static_cast<double>(mean) * static_cast<double>(tokens);
  };
  return std::make_unique<FunctionBox>(std::move(name), tokens, std::move(sum), false);
}

std::unique_ptr<SumBox> tensor_core_box(const std::string& capability, DType type, std::int64_t terms) {
  const TensorCore* core = find_tensor_core(capability);
  const auto step = core != nullptr ? core->step_for(type) : std::nullopt;
  if (!step || size_of(type) != 2)
    throw InputError(fmt::format("tensor core '{}': no model for {} operands", capability, name_of(type)));
  return std::make_unique<TensorCoreBox>(fmt::format("tensor_core:{}:{}", capability, name_of(type)), *step,
                                         type, terms);
}

std::unique_ptr<SumBox> cpu_box(const std::string& name, std::int64_t terms) {
  const std::map<std::string, std::function<double(Terms)>> functions = {
      {"cpu:sequential", [](Terms t) { return sequential_sum(t); }},
      {"cpu:pairwise", [](Terms t) { return pairwise_sum(t); }},
      {"cpu:lanes:8", [](Terms t) { return (lane_sum<8, float>(t)); }},
      {"cpu:lanes:16", [](Terms t) { return (lane_sum<16, float>(t)); }},
      {"eigen:sum", eigen_sum},
      {"eigen:dot", eigen_dot},
      {"eigen:product", eigen_product},
      {"reference:linear", reference_linear}};
  if (const auto found = functions.find(name); found != functions.end())
    return function_box(name, terms, found->second);
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon),
                    rest = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (kind == "tensor_core") {
    const std::size_t second = rest.find(':');
    const bool bfloat16 = second != std::string::npos && rest.substr(second + 1) == "bfloat16";
    if (second == std::string::npos || bfloat16 || rest.substr(second + 1) == "float16")
      return tensor_core_box(rest.substr(0, second), bfloat16 ? DType::bfloat16 : DType::float16, terms);
  }
  if (kind == "cpu-split" || kind == "attention") {
    Settings settings(name, rest);
    const SplitPlan plan = plan_from(settings, terms);
    const std::string by = kind == "attention" ? settings.take("by", "log_sum_exp") : "";
    settings.finish();
    if (kind == "cpu-split") return plan_box(name, plan);
    if (by == "log_sum_exp")
      return attention_box(name, {plan, {}, AttentionMerge::log_sum_exp, DType::float32});
    if (by == "running_maximum")
      return attention_box(name, {plan, {}, AttentionMerge::running_maximum, DType::float32});
    settings.refuse("by=" + by);
  }
  std::string known;
  for (const std::string& one : cpu_box_names()) known += (known.empty() ? "" : ", ") + one;
  throw InputError(fmt::format("subject '{}': there is none of that name; there are {}", name, known));
}

std::vector<std::string> cpu_box_names() {
  return {"cpu:sequential",
          "cpu:pairwise",
          "cpu:lanes:8",
          "cpu:lanes:16",
          "eigen:sum",
          "eigen:dot",
          "eigen:product",
          "reference:linear",
          "cpu-split:splits=8,partition=strided,local=lanes:8,merge=pairwise",
          "attention:splits=8,merge=sequential,by=log_sum_exp",
          "attention:splits=5,merge=pairwise,by=running_maximum",
          "tensor_core:7.0",
          "tensor_core:7.5",
          "tensor_core:8.0:bfloat16",
          "tensor_core:8.9",
          "tensor_core:9.0",
          "tensor_core:9.0:bfloat16"};
}

}  // namespace plumbline

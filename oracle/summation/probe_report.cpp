#include "oracle/summation/probe_report.h"

#include "fixtures/cases/random.h"
#include "oracle/summation/reveal_tree.h"
#include "reference/numeric/tensor_core.h"
#include "reference/summation/ordered_evaluation.h"
#include "reference/summation/sum_order.h"

#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kFloat32Bits = 23;
constexpr std::int64_t kCompared = 256;

std::string name_of_order(const SumTree& tree) {
  using Kind = SumOrder::Kind;
  std::vector<SumOrder> known = {{Kind::sequential}, {Kind::pairwise}};
  for (const Kind kind : {Kind::lanes, Kind::blocks, Kind::fused, Kind::strided}) {
    for (std::int32_t width = 2; width < tree.terms() && width <= 256; width *= 2)
      known.push_back({kind, width});
  }
  for (std::int32_t width = 3; width < tree.terms() && width < 64; ++width) {
    for (const Kind kind : {Kind::blocks, Kind::fused, Kind::strided}) known.push_back({kind, width});
  }
  const std::string text = tree.text();
  for (const SumOrder& order : known) {
    if (tree_of(order, tree.terms()).text() == text) return name_of(order);
  }
  return "";
}

/// Terms of 8 bits with a few exponents, so that sums round.
std::vector<float> random_terms(std::int64_t count) {
  Random random(1);
  std::vector<float> terms(static_cast<std::size_t>(count));
  for (float& term : terms) {
    const double significand = static_cast<double>(128 + random.below(128));
    const int exponent = static_cast<int>(random.below(18)) - 8;
    term = static_cast<float>(std::ldexp(random.below(2) == 0 ? significand : -significand, exponent));
  }
  return terms;
}

bool same_bits(double box, float foretold) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(box)) == std::bit_cast<std::uint32_t>(foretold);
}

}  // namespace

std::optional<float> foretold_sum(const SumTree& tree, const AccumulatorFacts& facts,
                                  std::span<const float> terms) {
  const bool plain = facts.fused_terms <= 2;
  if (facts.result_bits != kFloat32Bits) return std::nullopt;
  if (plain && facts.result_cut == CutKind::nearest_even) return sum_in_order(tree, terms);
  const bool truncating = facts.result_cut == CutKind::toward_zero && facts.aligned_bits &&
                          *facts.aligned_bits < facts.most_bits && facts.aligned_cut == CutKind::toward_zero;
  if (!truncating) return std::nullopt;
  const TensorCoreStep step = {facts.fused_terms, *facts.aligned_bits, kFloat32Bits};
  std::vector<float> sums, added;
  for (const SumTree::Node& node : tree.nodes()) {
    if (node.count == 0) {
      sums.push_back(terms[static_cast<std::size_t>(node.term)]);
      continue;
    }
    added.clear();
    for (const std::int32_t child : tree.children(node))
      added.push_back(sums[static_cast<std::size_t>(child)]);
    const std::vector<float> ones(added.size(), 1.0f);
    sums.push_back(tensor_core_step(step, DType::float32, 0, added, ones));
  }
  return sums.empty() ? 0 : sums.back();
}

ProbeReport probe(SumBox& box) {
  ProbeReport report;
  report.box = box.name();
  report.terms = box.terms();
  try {
    report.tree = reveal_tree(box).tree;
  } catch (const NoSumTree& none) {
    report.why_no_tree = none.what();
    return report;
  }
  report.order = name_of_order(*report.tree);
  report.accumulator = probe_accumulator(box, *report.tree);
  report.gives_bits = box.gives_bits();
  if (!report.gives_bits) return report;
  const std::vector<float> rows = random_terms(kCompared * box.terms());
  const std::vector<double> sums = box.sums(rows);
  for (std::size_t r = 0; r < sums.size(); ++r) {
    const auto terms = std::span(rows).subspan(r * static_cast<std::size_t>(box.terms()),
                                               static_cast<std::size_t>(box.terms()));
    const auto foretold = foretold_sum(*report.tree, *report.accumulator, terms);
    if (!foretold) return report;
    ++report.compared;
    if (same_bits(sums[r], *foretold)) ++report.foretold;
  }
  return report;
}

std::string probe_text(const ProbeReport& report) {
  std::string text = fmt::format("{}, {} terms\n", report.box, report.terms);
  if (!report.tree) return text + fmt::format("  no fixed order: {}\n", report.why_no_tree);
  text += fmt::format("  order        {}{}\n", report.order.empty() ? "" : report.order + ": ",
                      report.tree->text());
  text += fmt::format("  fingerprint  {}\n", report.tree->fingerprint());
  text += fmt::format("  roundings    {} at most on a term's way\n", report.tree->depth());
  text += fmt::format("  accumulator  {}\n", describe(*report.accumulator));
  if (report.compared > 0)
    return text +
           fmt::format("  foretells    {} of {} random sums to the bit\n", report.foretold, report.compared);
  return text + fmt::format("  foretells    nothing: {}\n",
                            report.gives_bits ? "there is no model of such an accumulator"
                                              : "results do not come back as they were added");
}

Json probe_json(const ProbeReport& report) {
  Json json = {{"box", report.box}, {"terms", report.terms}};
  if (!report.tree) {
    json["tree"] = nullptr;
    json["why_no_tree"] = report.why_no_tree;
    return json;
  }
  const AccumulatorFacts& facts = *report.accumulator;
  const auto number = [](const std::optional<int>& bits) { return bits ? Json(*bits) : Json(nullptr); };
  const auto cut = [](const std::optional<CutKind>& kind) {
    return kind ? Json(name_of(*kind)) : Json(nullptr);
  };
  json["tree"] = report.tree->text();
  json["order"] = report.order.empty() ? Json(nullptr) : Json(report.order);
  json["fingerprint"] = report.tree->fingerprint();
  json["depth"] = report.tree->depth();
  json["accumulator"] = {
      {"terms_at_once", facts.fused_terms},    {"aligned_bits", number(facts.aligned_bits)},
      {"aligned_cut", cut(facts.aligned_cut)}, {"result_bits", number(facts.result_bits)},
      {"result_cut", cut(facts.result_cut)},   {"most_bits_seen", facts.most_bits}};
  json["foretold"] = report.foretold;
  json["compared"] = report.compared;
  return json;
}

}  // namespace plumbline

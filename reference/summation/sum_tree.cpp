#include "reference/summation/sum_tree.h"

#include "fixtures/sha256.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace plumbline {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// Writes a tree's nodes without recursion, as a chain of 2^20 additions is as deep as it is long.
class Writer {
 public:
  explicit Writer(const SumTree& tree) : tree_(tree), texts_(tree.nodes().size()) {}

  std::string write() {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const SumTree::Node& node = tree_.nodes()[i];
      if (node.count == 0) {
        texts_[i] = {"", Kind::leaf, node.term, node.term};
      } else {
        texts_[i] = node.count == 2 ? addition(node) : fused(node);
      }
    }
    return texts_.empty() ? "" : texts_.back().whole(kPlus);
  }

 private:
  enum class Kind : std::uint8_t { leaf, chain, fused };
  /// What is written of a node: some text, then leaves that follow on one another.
  struct Text {
    std::string text;
    Kind kind = Kind::leaf;
    std::int32_t run_first = -1, run_last = -1;

    std::string whole(const char* separator) const {
      if (run_first < 0) return text;
      std::string run = std::to_string(run_first);
      if (run_last > run_first)
        run += (run_last == run_first + 1 ? separator : "..") + std::to_string(run_last);
      return text.empty() ? run : text + separator + run;
    }
  };

  std::vector<std::int32_t> in_order(const SumTree::Node& node) const {
    const auto children = tree_.children(node);
    std::vector<std::int32_t> order(children.begin(), children.end());
    std::ranges::sort(order, {}, [&](std::int32_t child) { return tree_.nodes()[at(child)].smallest; });
    return order;
  }

  static constexpr const char* kPlus = " + ";

  static std::string closed(const Text& text) {
    return text.kind == Kind::chain ? "(" + text.whole(kPlus) + ")" : text.whole(kPlus);
  }

  static void append(Text& to, const Text& next, const char* separator) {
    const bool leaf = next.kind == Kind::leaf;
    if (leaf && to.run_first >= 0 && next.run_first == to.run_last + 1) {
      to.run_last = next.run_last;
      return;
    }
    to.text = to.whole(separator);
    if (!leaf) to.text += separator + closed(next);
    to.run_first = leaf ? next.run_first : -1;
    to.run_last = leaf ? next.run_last : -1;
  }

  Text addition(const SumTree::Node& node) {
    const std::vector<std::int32_t> order = in_order(node);
    Text text = std::move(texts_[at(order[0])]);
    text.kind = Kind::chain;
    append(text, texts_[at(order[1])], kPlus);
    return text;
  }

  Text fused(const SumTree::Node& node) {
    constexpr const char* kTogether = " ";
    const std::vector<std::int32_t> order = in_order(node);
    Text text = texts_[at(order[0])];
    if (text.kind != Kind::leaf) text = {closed(text), Kind::fused, -1, -1};
    for (std::size_t i = 1; i < order.size(); ++i) append(text, texts_[at(order[i])], kTogether);
    return {"{" + text.whole(kTogether) + "}", Kind::fused, -1, -1};
  }

  const SumTree& tree_;
  std::vector<Text> texts_;
};

}  // namespace

std::int32_t SumTree::add_leaf(std::int32_t term) {
  nodes_.push_back({term, 0, 0, term});
  ++terms_;
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t SumTree::add_node(std::span<const std::int32_t> children) {
  if (children.size() < 2) throw std::invalid_argument("sum tree: a node adds two children at least");
  Node node{-1, static_cast<std::int32_t>(children_.size()), static_cast<std::int32_t>(children.size()), -1};
  for (const std::int32_t child : children) {
    if (child < 0 || at(child) >= nodes_.size()) throw std::invalid_argument("sum tree: no such child");
    const std::int32_t smallest = nodes_[at(child)].smallest;
    node.smallest = node.smallest < 0 ? smallest : std::min(node.smallest, smallest);
    children_.push_back(child);
  }
  nodes_.push_back(node);
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t SumTree::add_node(std::int32_t left, std::int32_t right) {
  return add_node(std::array{left, right});
}

std::int32_t SumTree::add_tree(const SumTree& other, std::span<const std::int32_t> terms) {
  const auto offset = static_cast<std::int32_t>(nodes_.size());
  std::vector<std::int32_t> moved;
  for (const Node& node : other.nodes_) {
    if (node.count == 0) {
      add_leaf(terms[at(node.term)]);
      continue;
    }
    moved.clear();
    for (const std::int32_t child : other.children(node)) moved.push_back(child + offset);
    add_node(moved);
  }
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t SumTree::depth() const {
  std::vector<std::int32_t> below(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::int32_t child : children(nodes_[i])) below[i] = std::max(below[i], below[at(child)] + 1);
  }
  return below.empty() ? 0 : below.back();
}

std::int32_t SumTree::widest() const {
  std::int32_t most = 0;
  for (const Node& node : nodes_) most = std::max(most, node.count);
  return most;
}

std::string SumTree::text() const { return Writer(*this).write(); }

std::string SumTree::fingerprint() const {
  const std::string written = text();
  return sha256_of(std::as_bytes(std::span(written))).substr(0, 16);
}

}  // namespace plumbline

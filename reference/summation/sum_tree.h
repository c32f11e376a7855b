#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// The order of a float32 sum, as data. Leaves are terms; an inner node adds its children: two of them by one
/// rounded addition, more of them at once: exactly, then rounded once (what a fused step of a tensor core
/// adds). Accumulators start at +0, so a sum is never -0.
class SumTree {
 public:
  struct Node {
    std::int32_t term = -1;      ///< of a leaf, else -1
    std::int32_t first = 0;      ///< of its children in `children`
    std::int32_t count = 0;      ///< children; 0 for a leaf
    std::int32_t smallest = -1;  ///< term below the node
  };

  /// Both return the new node's number. The last node added is the root. Children already have a parent
  /// nowhere else; throws std::invalid_argument for fewer than two children or a child not there.
  std::int32_t add_leaf(std::int32_t term);
  std::int32_t add_node(std::span<const std::int32_t> children);
  std::int32_t add_node(std::int32_t left, std::int32_t right);
  /// Adds all of `other`, whose term t becomes `terms[t]`; returns the node that was its root.
  std::int32_t add_tree(const SumTree& other, std::span<const std::int32_t> terms);

  bool empty() const { return nodes_.empty(); }
  std::int64_t terms() const { return terms_; }
  /// Children before parents; the root is the last.
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::int32_t> children(const Node& node) const {
    return std::span(children_).subspan(static_cast<std::size_t>(node.first),
                                        static_cast<std::size_t>(node.count));
  }
  /// Most roundings a term passes through.
  std::int32_t depth() const;
  /// Children of the widest node: 2 for plain additions, more for fused steps.
  std::int32_t widest() const;

  /// The same text for the same order, whatever way the tree was built: `a + b + c` is (a + b) + c, braces
  /// add what they hold at once, 3..7 is 3, 4, 5, 6, 7 one after another; of two summands the one with the
  /// lower term comes first, as additions commute.
  std::string text() const;
  /// 16 hexadecimal digits of the text's SHA-256.
  std::string fingerprint() const;
  bool operator==(const SumTree& other) const { return text() == other.text(); }

 private:
  std::vector<Node> nodes_;
  std::vector<std::int32_t> children_;
  std::int64_t terms_ = 0;
};

}  // namespace plumbline

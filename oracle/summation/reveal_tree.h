#pragma once

#include "oracle/summation/sum_box.h"
#include "reference/summation/sum_tree.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace plumbline {

/// A box that no fixed tree of rounded additions explains; what() says in one line why not.
class NoSumTree : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RevealedTree {
  SumTree tree;
  std::int64_t rows = 0;  ///< of terms that the box was asked for
};

/// The order in which a box adds (the idea of FPRev, Xie et al., USENIX ATC 2025): with +M and -M in place of
/// two terms and small units in place of the others, exactly the units that join before the two masks have
/// met are lost, so the result counts the terms outside the smallest subtree that holds both. From these
/// counts the tree follows, fused steps as nodes of more than two children. Additions of zeros that are no
/// terms (an accumulator's start, padding) do not show. Throws NoSumTree where the counts contradict each
/// other or nothing is lost.
RevealedTree reveal_tree(SumBox& box);

}  // namespace plumbline

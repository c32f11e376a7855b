#pragma once

#include "reference/model/qwen4_exp.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace plumbline::selftest {

/// A fault of whoever keeps a sequence's states: one of these steps leaves or loses something. What a step
/// does rightly is already done when its fault is called.
struct CacheFault {
  std::string id, hazard, about, check;
  std::function<void(ModelCache& cache, const ModelCache& fresh)> after_call = {};
  /// `rejected`: the cache with the drafts that were taken back.
  std::function<void(ModelCache& cache, const ModelCache& rejected)> after_roll_back = {};
  std::function<void(ModelCache& parent, ModelCache& child, const ModelCache& fresh)> after_fork = {};
  /// What the child's first call did to the parent.
  std::function<void(ModelCache& parent, const ModelCache& child)> after_child = {};
  /// `left`: what the request before left in the slot.
  std::function<void(ModelCache& cache, const ModelCache& left)> after_reset = {};
  std::function<void(ModelCache& cache, const ModelCache& fresh)> after_restore = {};
  /// The position a call's token gets, from its own and the call's first.
  std::function<std::int64_t(std::int64_t position, std::int64_t first)> position = {};
};

std::vector<CacheFault> cache_faults();

}  // namespace plumbline::selftest

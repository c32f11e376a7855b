#pragma once

#include "gpu/dispatch/policy_dialect.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

/// Fields of the sparse-attention policy, in the order of ROUTES.md §2.1.
enum class PolicyField : std::uint8_t {
  qsa_indexer_cublas,
  qsa_score_tile_mb,
  qsa_cublas_min_rows,
  qsa_cublas_min_score_elements,
  qsa_mtp_topk,
  qsa_xqa_page4,
  qsa_xqa_page4_min_rows,
  qsa_grouped_page4,
  qsa_grouped_pad_fix,
  qsa_segmented_page4,
  qsa_strict_scales,
};

struct PolicyFieldInfo {
  PolicyField field;
  std::string_view name;
  std::string_view alias;  ///< environment variable
  Dialect dialect;
  std::int64_t default_value;
};
std::span<const PolicyFieldInfo> policy_fields();
std::string_view name_of(PolicyField field);

using TypedPolicy = std::map<PolicyField, std::int64_t>;
using Environment = std::map<std::string, std::string>;

/// Policy of one engine, resolved once: an explicit typed value wins over the environment's alias, which wins
/// over the default. Nothing reads the process environment, then or later.
class Policy {
 public:
  /// Defaults, family active.
  Policy() : Policy(TypedPolicy{}, Environment{}, true) {}

  /// `active`: the sparse family is in use (activation.h). Malformed aliases are kept as deferred errors.
  /// Throws std::invalid_argument for a typed boolean that is neither 0 nor 1.
  Policy(const TypedPolicy& typed, const Environment& environment, bool active);

  /// Throws std::invalid_argument if the alias was malformed and the family is active. An inactive family
  /// has its default values.
  std::int64_t value(PolicyField field) const;
  bool enabled(PolicyField field) const { return value(field) != 0; }
  /// "typed", the alias' name, or "default".
  std::string_view source(PolicyField field) const;
  bool active() const { return active_; }

  /// Over the family's fields and their values, wherever those came from; of the empty set when inactive.
  /// A malformed field contributes its text.
  std::uint64_t hash() const;

 private:
  struct Entry {
    std::int64_t value = 0;
    std::string source;
    std::string malformed;  ///< error line; empty when the value is good
  };
  const Entry& entry(PolicyField field) const { return entries_[static_cast<std::size_t>(field)]; }

  bool active_;
  std::vector<Entry> entries_;
};

}  // namespace plumbline::dispatch

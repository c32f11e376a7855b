#include "gpu/dispatch/policy.h"

#include "gpu/dispatch/hash.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

using F = PolicyField;

// The sources state no default for qsa_strict_scales; off is inferred, and no route reads it.
constexpr std::array kFields = {
    PolicyFieldInfo{F::qsa_indexer_cublas, "qsa_indexer_cublas", "VLLM_SM70_QSA_INDEXER_CUBLAS",
                    Dialect::exact_one, 1},
    PolicyFieldInfo{F::qsa_score_tile_mb, "qsa_score_tile_mb", "VLLM_SM70_QSA_INDEXER_SCORE_TILE_MB",
                    Dialect::integer, 64},
    PolicyFieldInfo{F::qsa_cublas_min_rows, "qsa_cublas_min_rows", "VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_ROWS",
                    Dialect::integer, 512},
    PolicyFieldInfo{F::qsa_cublas_min_score_elements, "qsa_cublas_min_score_elements",
                    "VLLM_SM70_QSA_INDEXER_CUBLAS_MIN_SCORE_ELEMENTS", Dialect::integer, 1024 * 1024},
    PolicyFieldInfo{F::qsa_mtp_topk, "qsa_mtp_topk", "VLLM_SM70_QSA_MTP_TOPK", Dialect::bool_of_integer, 1},
    PolicyFieldInfo{F::qsa_xqa_page4, "qsa_xqa_page4", "VLLM_SM70_QSA_XQA_PAGE4", Dialect::exact_one, 1},
    PolicyFieldInfo{F::qsa_xqa_page4_min_rows, "qsa_xqa_page4_min_rows", "VLLM_SM70_QSA_XQA_PAGE4_MIN_ROWS",
                    Dialect::integer, 64},
    PolicyFieldInfo{F::qsa_grouped_page4, "qsa_grouped_page4", "VLLM_SM70_QSA_GROUPED_PAGE4",
                    Dialect::exact_one, 1},
    PolicyFieldInfo{F::qsa_grouped_pad_fix, "qsa_grouped_pad_fix", "VLLM_SM70_QSA_GROUPED_PAD_FIX",
                    Dialect::exact_one, 1},
    PolicyFieldInfo{F::qsa_segmented_page4, "qsa_segmented_page4", "ONECAT_QSA48", Dialect::word_split, 0},
    PolicyFieldInfo{F::qsa_strict_scales, "qsa_strict_scales", "VLLM_QWEN4EXP_QSA_E4M3_STRICT_SCALES",
                    Dialect::bool_of_integer, 0},
};

}  // namespace

std::span<const PolicyFieldInfo> policy_fields() { return kFields; }

std::string_view name_of(PolicyField field) { return kFields[static_cast<std::size_t>(field)].name; }

Policy::Policy(const TypedPolicy& typed, const Environment& environment, bool active) : active_(active) {
  for (const PolicyFieldInfo& info : kFields) {
    Entry entry{info.default_value, "default", ""};
    const auto explicit_value = typed.find(info.field);
    const auto alias = environment.find(std::string(info.alias));
    if (explicit_value != typed.end()) {
      entry = {explicit_value->second, "typed", ""};
      if (is_boolean(info.dialect) && entry.value != 0 && entry.value != 1) {
        throw std::invalid_argument(
            fmt::format("policy {}: expected 0 or 1, found {}", info.name, entry.value));
      }
    } else if (alias != environment.end()) {
      entry.source = info.alias;
      if (const auto value = parse_dialect(info.dialect, alias->second)) {
        entry.value = *value;
      } else {
        entry.malformed =
            fmt::format("policy {}: {}='{}' is no integer", info.name, info.alias, alias->second);
      }
    }
    entries_.push_back(entry);
  }
}

std::int64_t Policy::value(PolicyField field) const {
  if (!active_) return kFields[static_cast<std::size_t>(field)].default_value;
  if (!entry(field).malformed.empty()) throw std::invalid_argument(entry(field).malformed);
  return entry(field).value;
}

std::string_view Policy::source(PolicyField field) const {
  return active_ ? std::string_view(entry(field).source) : "default";
}

std::uint64_t Policy::hash() const {
  std::string text;
  for (const PolicyFieldInfo& info : kFields) {
    if (!active_) break;
    const Entry& e = entry(info.field);
    text += e.malformed.empty() ? fmt::format("{}={};", info.name, e.value) : e.malformed + ";";
  }
  return hash_text(text);
}

}  // namespace plumbline::dispatch

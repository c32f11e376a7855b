#include "gpu/dispatch/kernel.h"

#include <algorithm>
#include <array>
#include <string>

namespace plumbline::dispatch {
namespace {

struct KernelName {
  Kernel kernel;
  std::string_view name;
  std::string_view function;  ///< in plumbline::gpu
};

constexpr std::array kOurs = {
    KernelName{Kernel::visible_blocks, "visible_blocks", "visible_blocks_kernel"},
    KernelName{Kernel::gather_keys, "gather_keys", "gather_keys_kernel"},
    KernelName{Kernel::poison_product, "poison_product", "poison_kernel"},
    KernelName{Kernel::score_epilogue, "score_epilogue", "score_epilogue_kernel"},
    KernelName{Kernel::score_paged, "score_paged", "score_paged_kernel"},
    KernelName{Kernel::score_hopper, "score_hopper", "score_hopper_kernel"},
    KernelName{Kernel::topk_lexicographic, "topk_lexicographic", "topk_lexicographic_kernel"},
    KernelName{Kernel::topk_persistent, "topk_persistent", "topk_persistent_kernel"},
    KernelName{Kernel::expand_tokens, "expand_tokens", "expand_tokens_kernel"},
    KernelName{Kernel::fused_score, "fused_score", "fused_score_kernel"},
    KernelName{Kernel::list_selection, "list_selection", "list_selection_kernel"},
    KernelName{Kernel::handed_over_scores, "handed_over_scores", "handed_over_scores_kernel"},
    KernelName{Kernel::handed_over_selection, "handed_over_selection", "handed_over_selection_kernel"},
    KernelName{Kernel::topk_products, "topk_products", "topk_products_kernel"},
    KernelName{Kernel::count_poison, "count_poison", "count_poison_kernel"},
    KernelName{Kernel::rotation_table, "rotation_table", "rotation_table_kernel"},
    KernelName{Kernel::index_queries, "index_queries", "index_queries_kernel"},
    KernelName{Kernel::compress_index_keys, "compress_index_keys", "compress_index_keys_kernel"},
    KernelName{Kernel::keep_raw_keys, "keep_raw_keys", "keep_raw_keys_kernel"},
    KernelName{Kernel::attention_tensor, "attention_tensor", "attention_tensor_kernel"},
    KernelName{Kernel::attention_portable, "attention_portable", "attention_portable_kernel"},
    KernelName{Kernel::attention_merge, "attention_merge", "attention_merge_kernel"},
};

/// What cuBLAS calls its products, by generation: gemmSN_TN_kernel and gemvx, sm80_xmma_gemm and
/// cutlass_…_gemm, nvjet_hsh_…, and the reduction behind a product split along its depth.
constexpr std::array<std::string_view, 5> kProductWords = {"gemm", "gemv", "nvjet", "cutlass",
                                                           "splitKreduce"};

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// Whether the symbol is that function of ours: "void plumbline::gpu::…::NAME<…>(…)".
bool is_function(std::string_view symbol, std::string_view name) {
  if (!contains(symbol, "plumbline::")) return false;
  const std::string qualified = "::" + std::string(name);
  const std::size_t at = symbol.find(qualified);
  if (at == std::string_view::npos) return false;
  const std::string_view behind = symbol.substr(at + qualified.size());
  return behind.empty() || behind.front() == '<' || behind.front() == '(';
}

}  // namespace

std::string_view name_of(Kernel kernel) {
  if (kernel == Kernel::library_product) return "library_product";
  const auto found =
      std::find_if(kOurs.begin(), kOurs.end(), [&](const KernelName& one) { return one.kernel == kernel; });
  return found == kOurs.end() ? "unknown" : found->name;
}

Kernel kernel_of_symbol(std::string_view symbol) {
  for (const KernelName& one : kOurs) {
    if (is_function(symbol, one.function)) return one.kernel;
  }
  if (contains(symbol, "plumbline::")) return Kernel::none;
  const bool product = std::any_of(kProductWords.begin(), kProductWords.end(),
                                   [&](std::string_view word) { return contains(symbol, word); });
  return product ? Kernel::library_product : Kernel::none;
}

}  // namespace plumbline::dispatch

#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline::dispatch {

/// A family of device kernels: one function, whatever its template arguments. The values are stable: device
/// tags carry them.
enum class Kernel : std::uint8_t {
  none = 0,  ///< unknown
  visible_blocks = 1,
  gather_keys = 2,
  poison_product = 3,
  score_epilogue = 4,
  score_paged = 5,
  score_hopper = 6,
  topk_lexicographic = 7,
  topk_persistent = 8,
  expand_tokens = 9,
  fused_score = 10,
  list_selection = 11,
  handed_over_scores = 12,
  handed_over_selection = 13,
  topk_products = 14,
  count_poison = 15,
  rotation_table = 16,
  index_queries = 17,
  compress_index_keys = 18,
  keep_raw_keys = 19,
  attention_tensor = 24,    ///< on tensor cores of 8.0 and later
  attention_portable = 25,  ///< on multiply-adds alone
  attention_merge = 26,
  library_product = 64,  ///< a matrix product of cuBLAS, in as many launches as it likes: writes no tag
};

std::string_view name_of(Kernel kernel);

/// The family of a demangled symbol; `none` for a kernel that is neither ours nor a library's product.
Kernel kernel_of_symbol(std::string_view symbol);

}  // namespace plumbline::dispatch

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plumbline::dispatch {

enum class Stage : std::uint8_t { score, topk, expand, attention, select, index };
std::string_view name_of(Stage stage);

/// A named branch of the dispatch. The values are stable: kernels record them as device tags.
enum class Route : std::uint8_t {
  none = 0,
  score_cublas_single = 1,
  score_cublas_split = 2,
  score_shared_key = 3,
  score_paged = 4,
  score_hopper = 5,         ///< planned by force alone
  topk_lexicographic = 16,  ///< the operation; a plan names one of its variants
  topk_lexicographic_identity = 17,
  topk_lexicographic_generic = 18,
  topk_lexicographic_decode = 19,
  topk_lexicographic_compact = 20,
  topk_lexicographic_mtp = 21,
  topk_cooperative = 22,
  topk_persistent = 23,
  topk_products = 24,  ///< straight from the products of score.cublas_single; planned by force alone
  expand_tokens = 32,
  attention_page4 = 48,
  attention_resolved = 49,
  attention_splitk = 50,
  attention_direct = 51,
  select_fused = 64,       ///< scoring and top-k in one, the score matrix never written
  select_two_kernel = 65,  ///< the same with the scores kept
  // What comes before a selection, with one route each (planned_index.h).
  index_projection = 80,  ///< index_qk_proj
  index_rotation = 81,    ///< the table of cosines and sines
  index_queries = 82,     ///< norm and RoPE
  index_keys = 83,        ///< compression into the paged cache, and the ring
};

/// "topk.lexicographic.generic"; Route::none is "none".
std::string_view name_of(Route route);
/// Throws std::invalid_argument that lists the names.
Route parse_route(std::string_view name);
Stage stage_of(Route route);
/// False for routes that are planned and explained without a kernel of ours behind them: status UNSUPPORTED.
bool has_kernel(Route route);
/// The operation a variant belongs to; any other route is its own.
Route operation_of(Route route);
/// Every route but `none`, in the order of the values.
const std::vector<Route>& all_routes();

}  // namespace plumbline::dispatch

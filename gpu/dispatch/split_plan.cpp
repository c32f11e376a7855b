#include "gpu/dispatch/split_plan.h"

#include <algorithm>

namespace plumbline::dispatch {

PlanInput split_input(const Batch& batch, SplitPlan split) {
  PlanInput input{{7, 5}, gate_set("family7x"), {}, batch, {}, {}};
  input.extensions.shared_key = false;
  input.forced.topk = Route::topk_lexicographic;
  if (split == SplitPlan::every_request) {
    input.forced.score = Route::score_cublas_split;
    // No kernel of ours stands behind the exact top-k's variant for batches of 5 and 10 rows.
    input.policy = Policy({{PolicyField::qsa_mtp_topk, 0}}, {}, true);
    return input;
  }
  std::int64_t longest = 1;
  for (std::size_t i = 1; batch.query_starts && i < batch.query_starts->size(); ++i)
    longest = std::max(longest, (*batch.query_starts)[i] - (*batch.query_starts)[i - 1]);
  input.policy = Policy({{PolicyField::qsa_cublas_min_rows, longest},
                         {PolicyField::qsa_cublas_min_score_elements, 1},
                         {PolicyField::qsa_mtp_topk, 0}},
                        {}, true);
  return input;
}

}  // namespace plumbline::dispatch

#pragma once

#include "gpu/dispatch/score_routes.h"

namespace plumbline::dispatch::cublas_gates {

// Gates that the single-request and the split cuBLAS route share; ROUTES.md §2.3 numbers them 1 to 8.
Gate policy(const PlanInput& input);
Gate capability(const PlanInput& input, Route route);
Gate dtype(const PlanInput& input);
Gate query_shape(const PlanInput& input);
Gate cache_shape(const PlanInput& input);
Gate rows_min(const PlanInput& input, std::int64_t rows);
Gate score_work_min(const ScoreCall& call);

}  // namespace plumbline::dispatch::cublas_gates

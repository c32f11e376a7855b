#pragma once

#include "fixtures/product_subject.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline::gpu {

/// "mma.sync" (chained m16n8k16; m a multiple of 16, n of 8, k of 16) and "cublas" (cublasGemmEx as the
/// scoring routes call it, one batch entry a call).
std::vector<std::string> product_routes();
/// Null for another name.
std::unique_ptr<ProductSubject> product_subject(const std::string& route);

}  // namespace plumbline::gpu

#pragma once

namespace plumbline::gpu::bench {

/// How much of its work cuBLAS' product does in this program, whose own cublasGemmEx stands before the
/// library's.
enum class ProductCare { whole, all_but_last_row, none };
void set_product_care(ProductCare care);

}  // namespace plumbline::gpu::bench

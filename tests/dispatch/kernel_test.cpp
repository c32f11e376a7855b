#include "gpu/dispatch/kernel.h"

#include <set>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

TEST(Kernel, OfOursIsNamedByItsFunctionWhateverItsTemplateArguments) {
  EXPECT_EQ(kernel_of_symbol("void plumbline::gpu::(anonymous namespace)::topk_lexicographic_kernel"
                             "<plumbline::gpu::RowShape<256, 5, 2048>>"),
            Kernel::topk_lexicographic);
  EXPECT_EQ(kernel_of_symbol("plumbline::gpu::(anonymous namespace)::expand_tokens_kernel"),
            Kernel::expand_tokens);
  EXPECT_EQ(kernel_of_symbol("void plumbline::gpu::hopper::fused_score_kernel<(plumbline::gpu::KeyType)0, "
                             "false, true>(plumbline::gpu::hopper::FusedJob)"),
            Kernel::fused_score);
}

TEST(Kernel, OfALibraryIsAProductByItsName) {
  for (const char* symbol :
       {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNT", "sm80_xmma_gemm_f16f32_f16f32_f32_tn_n_tilesize32x32x64",
        "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>", "void gemv2T_kernel_val<int, int, __half>",
        "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>",
        "void cublasLt::splitKreduce_kernel<32, 16, int, float>"})
    EXPECT_EQ(kernel_of_symbol(symbol), Kernel::library_product) << symbol;
}

TEST(Kernel, OfNeitherIsUnknown) {
  for (const char* symbol :
       {"", "void at::native::vectorized_elementwise_kernel<4>", "void other::topk_lexicographic_kernel<3>",
        "plumbline::gpu::bench::fill_scores", "plumbline::gpu::my_score_paged_kernel",
        "plumbline::gpu::score_paged_kernel_2", "plumbline::gpu::bench::gemm_like"})
    EXPECT_EQ(kernel_of_symbol(symbol), Kernel::none) << symbol;
}

TEST(Kernel, NamesAreUnique) {
  std::set<std::string_view> names;
  for (int value = 1; value <= 19; ++value)
    EXPECT_TRUE(names.insert(name_of(static_cast<Kernel>(value))).second) << value;
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name_of(Kernel::library_product), "library_product");
  EXPECT_EQ(name_of(Kernel::none), "unknown");
}

}  // namespace
}  // namespace plumbline::dispatch

#include "gpu/trace/trace_buffer.h"

#include "gpu/trace/kernel_witness.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace plumbline::gpu {
namespace {

constexpr std::uint64_t kNonce = 0xF00DF00DF00DF00Du;

/// How many of a cell's tags bear the plan's nonce.
std::ptrdiff_t right_ones(unsigned long long nonces, unsigned long long hits) {
  const auto tags =
      tags_of({nonces, hits}, dispatch::Route::score_paged, dispatch::Kernel::score_paged, kNonce);
  EXPECT_EQ(tags.size(), hits);
  return std::count_if(tags.begin(), tags.end(), [](const auto& tag) { return tag.nonce == kNonce; });
}

TEST(TraceCell, StandsForAsManyTagsAsItsHits) {
  EXPECT_EQ(right_ones(0, 0), 0);
  EXPECT_EQ(right_ones(kNonce, 1), 1);
  EXPECT_EQ(right_ones(3 * kNonce, 3), 3);  // the sum wraps
}

TEST(TraceCell, ShowsAStray) {
  EXPECT_EQ(right_ones(0xBEEF, 1), 0);
  EXPECT_EQ(right_ones(2 * kNonce + 0xBEEF, 3), 2);
  const auto tags =
      tags_of({2 * kNonce + 0xBEEF, 3}, dispatch::Route::score_paged, dispatch::Kernel::score_paged, kNonce);
  EXPECT_EQ(tags.back().nonce, 0xBEEFu);
}

TEST(TraceLog, HasACellForEveryRouteAndKernelOfOurs) {
  for (const dispatch::Route route : dispatch::all_routes())
    EXPECT_LT(static_cast<int>(route), TraceLog::kRoutes);
  for (int kernel = TraceLog::kKernels; kernel < 64; ++kernel)
    EXPECT_EQ(dispatch::name_of(static_cast<dispatch::Kernel>(kernel)), "unknown") << kernel;
}

TEST(ReadableSymbol, LeavesTheParametersOut) {
  EXPECT_EQ(readable_symbol("_ZN9plumbline3gpu12_GLOBAL__N_120expand_tokens_kernelENS0_11PagedInputsEPKiiPi"),
            "plumbline::gpu::(anonymous namespace)::expand_tokens_kernel");
  EXPECT_EQ(readable_symbol(
                "_ZN9plumbline3gpu6hopper18fused_score_kernelILNS0_7KeyTypeE0ELb0ELb1EEEvNS1_8FusedJobE"),
            "void plumbline::gpu::hopper::fused_score_kernel<(plumbline::gpu::KeyType)0, false, true>");
  EXPECT_EQ(readable_symbol("nvjet_hsh_128x256_64x4"), "nvjet_hsh_128x256_64x4");
  EXPECT_EQ(readable_symbol(nullptr), "");
}

}  // namespace
}  // namespace plumbline::gpu

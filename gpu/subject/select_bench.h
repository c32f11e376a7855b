#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::gpu {

/// The selection benchmark of ROUTES.md §5.4: the last `rows` rows of one request, float16, 4 heads of 128,
/// ratio 4, top-k 512, contiguous pages.
struct SelectBenchOptions {
  std::int64_t rows = 1616;
  std::vector<std::int64_t> contexts = {29000, 184000, 262144};  ///< tokens
  std::int32_t page_size = 204;                                  ///< blocks a page
  std::int64_t capacity =
      65536;  ///< blocks the page table addresses at least; never fewer than the context's
  bool int32_positions = false;
  int repetitions = 20;
  std::uint64_t seed = 20261130;
};

struct BenchTime {
  double median_ms = 0, min_ms = 0, max_ms = 0;
};

/// One timed piece of work.
struct BenchStage {
  std::string arm;    ///< "exact70", "family7x", "cublas", …; "" for what belongs to none
  std::string stage;  ///< "score", "top-k", "whole", …
  std::string route;  ///< "score.paged"
  BenchTime time;
  double bytes = 0;  ///< read and written at least; 0 where bytes are not what bounds it
};

struct BenchCheck {
  std::string name;
  bool passed = false;
  std::string detail;
};

struct SelectBenchContext {
  std::int64_t tokens = 0, blocks = 0;
  double read_ms = 0;              ///< one read of the float32 scores
  double tensor_floor_ms = 0;      ///< TOPK.md §5, at this run's product rate
  double two_kernel_floor_ms = 0;  ///< max(product, write of the scores) + read, at this run's ceilings
  std::vector<BenchStage> stages;
  std::vector<BenchCheck> checks;      ///< of the answers given after the timing
  double identical_sets = 0;           ///< share of rows with the same token set under exact70 and family7x
  std::vector<std::string> arm_plans;  ///< "exact70: 1 chunk of 1616 rows, score.paged, topk.persistent"
};

/// A number of the list beside what was measured.
struct BenchGoal {
  std::string name, unit;
  double found = 0, wanted = 0;
  bool at_most = true;
  bool reached() const { return at_most ? found <= wanted : found >= wanted; }
};

struct SelectBench {
  std::string device, versions;
  double product_tflops = 0;  ///< float16 8192³ with float32 accumulation
  double copy_gb_per_s = 0;   ///< bytes read and written by a device copy of 4 GiB
  std::vector<SelectBenchContext> contexts;
  std::vector<BenchStage> wide;  ///< stages at sizes beyond the L2
  std::vector<BenchGoal> goals;  ///< those whose contexts were measured
};

/// Runs it on a device. Times are device events around a call after 3 unmeasured ones, each behind a write of
/// 256 MiB. Throws CudaError; InputError for a device the machine does not have.
SelectBench bench_select(int device, const SelectBenchOptions& options);

/// The goals that the measured stages speak of.
std::vector<BenchGoal> select_bench_goals(const SelectBench& bench);

}  // namespace plumbline::gpu

#pragma once

#include "fixtures/attention_subject.h"
#include "gpu/subject/select_bench.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::gpu {

/// Sparse attention of the real model: the last `rows` rows of one request, 24 query heads over 2 key/value
/// heads of 256, 2,051 selected tokens a row (512 blocks of 4 and a tail), pages of 784 tokens.
struct AttentionBenchOptions {
  std::int64_t rows = 1616;
  std::vector<std::int64_t> contexts = {29000, 184000};  ///< tokens
  bool bfloat16 = false;
  int repetitions = 20;
  std::uint64_t seed = 20261201;
};

/// One selection pattern at one context.
struct AttentionBenchScene {
  std::int64_t tokens = 0;
  std::string pattern;        ///< "spread": every row its own blocks; "alike": neighbours share most
  double gathered_bytes = 0;  ///< keys and values of every row's list, each counted every time
  double distinct_bytes = 0;  ///< of the cache that some row reads
  std::vector<BenchStage> stages;
  std::vector<BenchCheck> checks;

  /// Share of the gathered bytes that need not come from memory if each distinct one comes once.
  double reuse() const { return gathered_bytes > 0 ? 1 - distinct_bytes / gathered_bytes : 0; }
};

/// Three rows of a scene for the judge: their own tokens on one page each, and what the kernels answered.
struct AttentionSample {
  Tensor query, keys, values, tokens, page_table, token_to_request;
  AttentionOutputs outputs;
  double softmax_scale = 1;
  std::string name;

  AttentionInputs inputs() const;
};

struct AttentionBench {
  std::string device, versions, capability;
  double product_tflops = 0, copy_gb_per_s = 0;
  std::vector<AttentionBenchScene> scenes;
  std::vector<AttentionSample> samples;
  std::vector<BenchGoal> goals;
};

/// Runs it on a device. Times are device events around a call after 3 unmeasured ones, each behind a write of
/// 256 MiB. Throws CudaError; InputError for a device the machine does not have.
AttentionBench bench_attention(int device, const AttentionBenchOptions& options);

/// Gathered bytes at 60 % of the copy's bandwidth or more, for the whole step of each scene.
std::vector<BenchGoal> attention_bench_goals(const AttentionBench& bench);

}  // namespace plumbline::gpu

#include "fixtures/error.h"
#include "gpu/attention/sparse_attention.h"
#include "gpu/bench/ceilings.cuh"
#include "gpu/subject/attention_bench.h"
#include "gpu/subject/cuda_subject.h"
#include "gpu/subject/device_tensors.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <cuda_bf16.h>

namespace plumbline::gpu {
namespace {

using namespace bench;
using dispatch::Route;

constexpr std::int32_t kHeads = 24, kKvHeads = 2, kDim = 256, kBlocks = 512, kRatio = 4, kPage = 784;
constexpr std::int32_t kSelected = kBlocks * kRatio + kRatio - 1;
constexpr std::int64_t kTokenBytes = std::int64_t{kKvHeads} * kDim * 2 * 2;  // keys and values

__global__ void to_bfloat16(std::uint16_t* numbers, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    numbers[i] = __bfloat16_as_ushort(__float2bfloat16_rn(__half2float(__ushort_as_half(numbers[i]))));
}

/// splitmix64's mixer.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// One block of each of 512 equal strata, then the three tokens of a tail. "alike": a row keeps nine of ten
/// blocks of the row before it.
std::vector<std::int32_t> selection(std::int64_t rows, std::int64_t tokens, bool alike, std::uint64_t seed) {
  std::vector<std::int32_t> list;
  std::vector<std::int64_t> block(kBlocks);
  const std::int64_t blocks = (tokens - kRatio) / kRatio;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      const std::int64_t first = i * blocks / kBlocks, end = (i + 1) * blocks / kBlocks;
      const std::uint64_t drawn = mixed(seed ^ mixed(static_cast<std::uint64_t>(row * kBlocks + i)));
      if (row == 0 || !alike || drawn % 10 == 0)
        block[static_cast<std::size_t>(i)] =
            first + static_cast<std::int64_t>((drawn >> 8) % static_cast<std::uint64_t>(end - first));
      for (int t = 0; t < kRatio; ++t)
        list.push_back(static_cast<std::int32_t>(block[static_cast<std::size_t>(i)] * kRatio + t));
    }
    for (int t = 0; t < kRatio - 1; ++t) list.push_back(static_cast<std::int32_t>(blocks * kRatio + t));
  }
  return list;
}

DeviceBuffer<std::int32_t> on_device(const std::vector<std::int32_t>& values) {
  DeviceBuffer<std::int32_t> buffer(static_cast<std::int64_t>(values.size()));
  upload(values, buffer.data());
  return buffer;
}

double distinct_tokens(std::vector<std::int32_t> list) {
  std::sort(list.begin(), list.end());
  return static_cast<double>(std::unique(list.begin(), list.end()) - list.begin());
}

class Scene {
 public:
  Scene(const AttentionBenchOptions& options, std::int64_t tokens, bool alike)
      : options_(options),
        tokens_(tokens),
        pages_((tokens + kPage - 1) / kPage),
        query_(options.rows * kHeads * kDim),
        keys_(pages_ * kPage * kKvHeads * kDim),
        values_(keys_.size()),
        output_(query_.size()),
        lse_(options.rows * kHeads),
        list_(selection(options.rows, tokens, alike, options.seed)),
        device_list_(on_device(list_)),
        requests_(on_device(std::vector<std::int32_t>(static_cast<std::size_t>(options.rows), 0))) {
    std::vector<std::int32_t> table(static_cast<std::size_t>(pages_));
    // The pages of the request lie backwards.
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int32_t>(table.size() - 1 - i);
    table_ = on_device(table);
    host_table_ = table;
    std::uint64_t seed = options.seed;
    for (const DeviceBuffer<std::uint16_t>* numbers : {&query_, &keys_, &values_}) {
      fill_half_normal<<<2048, 256>>>(numbers->data(), numbers->size(), ++seed, 1.0f);
      if (options.bfloat16) to_bfloat16<<<2048, 256>>>(numbers->data(), numbers->size());
    }
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    scene_.tokens = tokens;
    scene_.pattern = alike ? "alike" : "spread";
    scene_.gathered_bytes = static_cast<double>(list_.size()) * kTokenBytes;
    scene_.distinct_bytes = distinct_tokens(list_) * kTokenBytes;
  }

  AttentionBenchScene run(dispatch::Capability capability, Stopwatch& watch, const Stream& stream,
                          AttentionSample& sample) {
    const auto time = [&](const std::string& arm, std::int64_t rows, const dispatch::AttentionForce& force) {
      const dispatch::AttentionCall call = plan(rows, capability, force);
      const Timing timing = watch([&] { attention_.attend(request(0, rows), call, Trace{}, stream.get()); },
                                  options_.repetitions);
      BenchStage stage;
      stage.arm = arm;
      stage.stage = std::to_string(rows) + " rows, " + std::to_string(call.plan.launch.splits) + " splits";
      stage.route = std::string(dispatch::name_of(call.plan.decision.route)) + ", " +
                    std::string(dispatch::name_of(call.kernel));
      stage.time = {timing.median_ms, timing.min_ms, timing.max_ms};
      stage.bytes = static_cast<double>(rows) * kSelected * kTokenBytes;
      scene_.stages.push_back(stage);
    };
    const dispatch::AttentionForce direct{Route::attention_direct, 1, false};
    time("direct", options_.rows, direct);
    time("splitk", options_.rows, {Route::attention_splitk, 8, false});
    time("portable", std::min<std::int64_t>(options_.rows, 64), {Route::attention_direct, 1, true});
    for (const std::int64_t rows : {1, 16}) {
      if (rows > options_.rows) continue;
      time("by the batch", rows, {});
      time("by the row", rows, {Route::attention_splitk, 0, false});
      time("direct, few rows", rows, direct);
    }
    check_bits(capability, stream, "direct", direct);
    check_bits(capability, stream, "8 splits", {Route::attention_splitk, 8, false});
    sample = sampled(capability, stream, direct);
    return scene_;
  }

 private:
  AttentionRequest request(std::int64_t first, std::int64_t rows) const {
    AttentionRequest r;
    r.type = options_.bfloat16 ? KeyType::kBfloat16 : KeyType::kFloat16;
    r.query = query_.data() + first * kHeads * kDim;
    r.rows = rows;
    r.heads = kHeads, r.kv_heads = kKvHeads, r.dim = kDim;
    r.keys = keys_.data(), r.values = values_.data();
    r.pages = pages_, r.page_size = kPage;
    r.page_table = table_.data(), r.requests = 1, r.table_width = static_cast<std::int32_t>(pages_);
    r.token_to_request = requests_.data() + first;
    r.tokens = device_list_.data() + first * kSelected, r.selected = kSelected;
    r.score_scale = 1.4426950408889634f / 16;
    r.output = output_.data() + first * kHeads * kDim, r.lse = lse_.data() + first * kHeads;
    return r;
  }

  dispatch::AttentionCall plan(std::int64_t rows, dispatch::Capability capability,
                               const dispatch::AttentionForce& force) const {
    const auto type = options_.bfloat16 ? dispatch::ElementType::bfloat16 : dispatch::ElementType::float16;
    dispatch::AttentionBatch batch;
    batch.query = dispatch::contiguous(type, {rows, kHeads, kDim});
    batch.key_cache = batch.value_cache = dispatch::contiguous(type, {pages_, kPage, kKvHeads, kDim});
    batch.indices = dispatch::contiguous(dispatch::ElementType::int32, {rows, kSelected});
    batch.block_table = dispatch::contiguous(dispatch::ElementType::int32, {1, pages_});
    return dispatch::plan_attention(batch, capability, force);
  }

  /// Bits of rows [first, first + rows), computed together, on poisoned outputs and parts.
  std::vector<std::byte> answer(std::int64_t first, std::int64_t rows, dispatch::Capability capability,
                                const Stream& stream, const dispatch::AttentionForce& force) {
    poison(output_);
    poison(lse_);
    attention_.poison_parts(stream.get());
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    attention_.attend(request(first, rows), plan(rows, capability, force), Trace{}, stream.get());
    stream.synchronize();
    std::vector<std::byte> bits =
        downloaded(output_.data() + first * kHeads * kDim, DType::uint8, {rows * kHeads * kDim * 2}).bytes;
    const Tensor lse = downloaded(lse_.data() + first * kHeads, DType::uint8, {rows * kHeads * 4});
    bits.insert(bits.end(), lse.bytes.begin(), lse.bytes.end());
    return bits;
  }

  void check_bits(dispatch::Capability capability, const Stream& stream, const std::string& arm,
                  const dispatch::AttentionForce& force) {
    const std::int64_t rows = options_.rows;
    const std::vector<std::byte> first = answer(0, rows, capability, stream, force);
    int differing = 0;
    for (int run = 1; run < 5; ++run)
      differing += answer(0, rows, capability, stream, force) != first ? 1 : 0;
    scene_.checks.push_back(
        {arm + ": five runs", differing == 0, std::to_string(differing) + " of 4 differ from the first"});
    int changed = 0, batches = 0;
    const std::size_t outputs = static_cast<std::size_t>(rows) * kHeads * kDim * 2;
    for (const std::int64_t size : {std::int64_t{1}, std::int64_t{7}, std::int64_t{64}, rows / 2}) {
      const std::int64_t from = rows / 3;
      if (size < 1 || from + size > rows) continue;
      ++batches;
      const std::vector<std::byte> part = answer(from, size, capability, stream, force);
      const std::size_t own = static_cast<std::size_t>(size) * kHeads * kDim * 2;
      const bool same = std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(own),
                                   first.begin() + static_cast<std::ptrdiff_t>(from * kHeads * kDim * 2)) &&
                        std::equal(part.begin() + static_cast<std::ptrdiff_t>(own), part.end(),
                                   first.begin() + static_cast<std::ptrdiff_t>(outputs) +
                                       static_cast<std::ptrdiff_t>(from * kHeads * 4));
      changed += same ? 0 : 1;
    }
    scene_.checks.push_back(
        {arm + ": other batches", changed == 0,
         std::to_string(changed) + " of " + std::to_string(batches) + " batches give other bits"});
  }

  AttentionSample sampled(dispatch::Capability capability, const Stream& stream,
                          const dispatch::AttentionForce& force) {
    (void)answer(0, options_.rows, capability, stream, force);
    const DType type = options_.bfloat16 ? DType::bfloat16 : DType::float16;
    const std::int64_t all = options_.rows;
    const std::vector<std::int64_t> rows = {0, all / 2, all - 1};
    const auto count = std::ssize(rows);
    AttentionSample s;
    s.softmax_scale = 1 / 16.0;
    s.name = std::to_string(tokens_) + " tokens, " + scene_.pattern;
    s.query = Tensor(type, {count, kHeads, kDim});
    s.keys = s.values = Tensor(type, {count, kSelected, kKvHeads, kDim});
    s.tokens = Tensor(DType::int32, {count, kSelected});
    s.page_table = Tensor(DType::int32, {count, 1});
    s.token_to_request = Tensor(DType::int32, {count});
    s.outputs = {Tensor(type, {count, kHeads, kDim}), Tensor(DType::float32, {count, kHeads})};
    const Tensor keys = downloaded(keys_.data(), type, {keys_.size()}),
                 values = downloaded(values_.data(), type, {values_.size()}),
                 query = downloaded(query_.data(), type, {query_.size()}),
                 output = downloaded(output_.data(), type, {output_.size()}),
                 lse = downloaded(lse_.data(), DType::float32, {lse_.size()});
    const auto copy = [](const Tensor& from, std::int64_t at, Tensor& to, std::int64_t where,
                         std::int64_t bytes) {
      std::copy_n(from.bytes.begin() + at * bytes, bytes, to.bytes.begin() + where * bytes);
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      copy(query, row, s.query, i, kHeads * kDim * 2);
      copy(output, row, s.outputs.output, i, kHeads * kDim * 2);
      copy(lse, row, *s.outputs.lse, i, kHeads * 4);
      s.page_table.as<std::int32_t>()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      s.token_to_request.as<std::int32_t>()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      for (std::int64_t t = 0; t < kSelected; ++t) {
        const std::int32_t token = list_[static_cast<std::size_t>(row * kSelected + t)];
        const std::int64_t slot =
            std::int64_t{host_table_[static_cast<std::size_t>(token / kPage)]} * kPage + token % kPage;
        s.tokens.as<std::int32_t>()[static_cast<std::size_t>(i * kSelected + t)] =
            static_cast<std::int32_t>(t);
        copy(keys, slot, s.keys, i * kSelected + t, kKvHeads * kDim * 2);
        copy(values, slot, s.values, i * kSelected + t, kKvHeads * kDim * 2);
      }
    }
    return s;
  }

  const AttentionBenchOptions& options_;
  std::int64_t tokens_, pages_;
  DeviceBuffer<std::uint16_t> query_, keys_, values_, output_;
  DeviceBuffer<float> lse_;
  std::vector<std::int32_t> list_, host_table_;
  DeviceBuffer<std::int32_t> device_list_, requests_, table_;
  SparseAttention attention_;
  AttentionBenchScene scene_;
};

}  // namespace

AttentionInputs AttentionSample::inputs() const {
  AttentionInputs inputs;
  inputs.query = query.view();
  inputs.key_cache = keys.view();
  inputs.value_cache = values.view();
  inputs.selected_tokens = tokens.view();
  inputs.page_table = page_table.view();
  inputs.token_to_request = token_to_request.view();
  inputs.softmax_scale = softmax_scale;
  return inputs;
}

AttentionBench bench_attention(int device, const AttentionBenchOptions& options) {
  int devices = 0;
  PLUMBLINE_CHECK(cudaGetDeviceCount(&devices));
  if (device < 0 || device >= devices)
    throw InputError("--device cuda:" + std::to_string(device) + ": the machine has " +
                     std::to_string(devices) + " CUDA devices");
  PLUMBLINE_CHECK(cudaSetDevice(device));
  const DeviceProbe probe = probe_device();
  if (!probe.device) throw CudaError(probe.reason);
  AttentionBench bench;
  bench.device = probe.device->name + ", capability " + probe.device->capability;
  bench.versions = probe.device->versions;
  bench.capability = probe.device->capability;
  const dispatch::Capability capability = dispatch::parse_capability(bench.capability);
  const Ceilings ceilings = measure_ceilings();
  bench.product_tflops = ceilings.tflop_per_s();
  bench.copy_gb_per_s = ceilings.gb_per_s();
  const Stream stream;
  Stopwatch watch(stream.get());
  for (const std::int64_t tokens : options.contexts) {
    for (const bool alike : {false, true}) {
      AttentionSample sample;
      bench.scenes.push_back(Scene(options, tokens, alike).run(capability, watch, stream, sample));
      bench.samples.push_back(std::move(sample));
    }
  }
  bench.goals = attention_bench_goals(bench);
  return bench;
}

}  // namespace plumbline::gpu

#include "gpu/subject/cuda_attention.h"

#include "gpu/attention/sparse_attention.h"
#include "gpu/runtime/stream.h"
#include "gpu/subject/watched_input.h"

#include <utility>
#include <vector>

namespace plumbline::gpu {
namespace {

class CudaAttention final : public AttentionSubject {
 public:
  CudaAttention(const std::string& name, PlanAttention plan, std::shared_ptr<Tracer> tracer)
      : name_("cuda:" + name), plan_(std::move(plan)), tracer_(std::move(tracer)) {}
  std::string name() const override { return name_; }

  AttentionOutputs attend(const AttentionInputs& inputs) override {
    const WatchedInput query(inputs.query), keys(inputs.key_cache), values(inputs.value_cache),
        tokens(inputs.selected_tokens), table(inputs.page_table), requests(inputs.token_to_request),
        gate(inputs.output_gate.value_or(inputs.query));
    AttentionRequest request = shapes_of(inputs);
    request.query = query.as<std::byte>();
    request.keys = keys.as<std::byte>();
    request.values = values.as<std::byte>();
    request.tokens = tokens.as<std::int32_t>();
    request.page_table = table.as<std::int32_t>();
    request.token_to_request = requests.as<std::int32_t>();
    if (inputs.output_gate) request.gate = gate.as<std::byte>();
    const DeviceBuffer<std::byte> output = all_ones(request.rows * request.heads * request.dim * 2),
                                  lse = all_ones(request.rows * request.heads * 4);
    request.output = output.data();
    request.lse = reinterpret_cast<float*>(lse.data());
    const dispatch::AttentionCall call = plan_(inputs);
    serve([&] {
      attention_.reserve(request, call);
      attention_.poison_parts(stream_.get());
      await_inputs();
      attention_.attend(request, call, tracer_ ? tracer_->trace() : Trace{}, stream_.get());
    });
    stream_.synchronize();
    for (const WatchedInput* input : {&query, &keys, &values, &tokens, &table, &requests, &gate})
      input->require_unchanged();
    return {downloaded(output.data(), inputs.query.dtype, {request.rows, request.heads, request.dim}),
            downloaded(lse.data(), DType::float32, {request.rows, request.heads})};
  }

 private:
  static AttentionRequest shapes_of(const AttentionInputs& inputs) {
    AttentionRequest request;
    if (inputs.query.dtype != DType::float16 && inputs.query.dtype != DType::bfloat16)
      throw UnsupportedCase("the attention kernels serve float16 and bfloat16, found " +
                            std::string(name_of(inputs.query.dtype)));
    request.type = inputs.query.dtype == DType::float16 ? KeyType::kFloat16 : KeyType::kBfloat16;
    request.float8 = inputs.key_cache.dtype == DType::float8_e4m3fn;
    request.rows = inputs.rows();
    request.heads = static_cast<std::int32_t>(inputs.heads());
    request.kv_heads = static_cast<std::int32_t>(inputs.key_value_heads());
    request.dim = static_cast<std::int32_t>(inputs.dim());
    request.pages = inputs.key_cache.extent(0);
    request.page_size = static_cast<std::int32_t>(inputs.key_cache.extent(1));
    request.requests = static_cast<std::int32_t>(inputs.page_table.extent(0));
    request.table_width = static_cast<std::int32_t>(inputs.page_table.extent(1));
    request.selected = static_cast<std::int32_t>(inputs.selected_tokens.extent(1));
    constexpr double kLog2E = 1.4426950408889634;
    request.score_scale = static_cast<float>(inputs.softmax_scale * inputs.k_scale * kLog2E);
    request.value_scale = static_cast<float>(inputs.v_scale);
    return request;
  }

  std::string name_;
  PlanAttention plan_;
  std::shared_ptr<Tracer> tracer_;
  Stream stream_;
  SparseAttention attention_;
};

}  // namespace

std::unique_ptr<AttentionSubject> cuda_attention(const std::string& name, PlanAttention plan,
                                                 std::shared_ptr<Tracer> tracer) {
  return std::make_unique<CudaAttention>(name, std::move(plan), std::move(tracer));
}

}  // namespace plumbline::gpu

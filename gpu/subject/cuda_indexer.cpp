#include "gpu/subject/cuda_indexer.h"

#include "gpu/index/index_keys.h"
#include "gpu/index/index_projection.h"
#include "gpu/index/index_queries.h"
#include "gpu/index/rotation_table.h"
#include "gpu/runtime/stream.h"
#include "gpu/subject/watched_input.h"

#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace plumbline::gpu {
namespace {

IndexType index_type(DType type) {
  if (type == DType::float16) return IndexType::kFloat16;
  if (type == DType::bfloat16) return IndexType::kBfloat16;
  if (type == DType::float32) return IndexType::kFloat32;
  throw UnsupportedCase("the index kernels serve float16, bfloat16 and float32, found " +
                        std::string(name_of(type)));
}

DeviceBuffer<float> gains(const TensorView& weight) {
  std::vector<float> gain;
  for (std::int64_t d = 0; d < weight.extent(0); ++d) {
    float w = 0;
    std::memcpy(&w, weight.at(d), sizeof w);
    gain.push_back(1 + w);
  }
  DeviceBuffer<float> buffer(static_cast<std::int64_t>(gain.size()));
  PLUMBLINE_CHECK(cudaMemcpy(buffer.data(), gain.data(), buffer.bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

class CudaSequences final : public IndexerSequences {
 public:
  CudaSequences(const IndexerModel& model, const IndexerStorage& storage, std::shared_ptr<Tracer> tracer)
      : model_(model),
        storage_(storage),
        tracer_(std::move(tracer)),
        element_(static_cast<std::int64_t>(size_of(model.storage))),
        query_gain_(gains(model.query_norm)),
        key_gain_(gains(model.key_norm)),
        table_(uploaded(storage.page_table)),
        keys_(all_ones(storage.pages * storage.page_size * dim() * element_)),
        ring_(all_ones(storage.requests * storage.ring_rows * dim() * element_)),
        ring_coordinates_(storage.requests * storage.ring_rows * 3),
        rotation_(index_type(model.storage), frequencies(model), storage.most_coordinate + 1, stream_.get(),
                  trace().of(dispatch::Route::index_rotation)) {
    PLUMBLINE_CHECK(cudaMemset(ring_coordinates_.data(), 0xFF, ring_coordinates_.bytes()));
    indexer_.type = index_type(model.storage);
    indexer_.heads = model.geometry.index_heads;
    indexer_.dim = model.geometry.index_head_dim;
    indexer_.rotary_dim = static_cast<std::int32_t>(model.rotary_dim);
    indexer_.ratio = model.geometry.compress_ratio;
    indexer_.epsilon = static_cast<float>(model.norm_epsilon);
    indexer_.query_gain = query_gain_.data();
    indexer_.key_gain = key_gain_.data();
    indexer_.rotation = rotation_.data();
    indexer_.rotation_rows = rotation_.rows();
    indexer_.height_pairs = static_cast<std::int32_t>(model.sections[1]);
    indexer_.width_pairs = static_cast<std::int32_t>(model.sections[2]);
    store_.keys = keys_.data();
    store_.pages = storage.pages;
    store_.page_size = static_cast<std::int32_t>(storage.page_size);
    store_.page_table = reinterpret_cast<const std::int32_t*>(table_.data());
    store_.requests = static_cast<std::int32_t>(storage.requests);
    store_.table_width = static_cast<std::int32_t>(storage.page_table.extent(1));
    store_.ring = ring_.data();
    store_.ring_coordinates = ring_coordinates_.data();
    store_.ring_rows = static_cast<std::int32_t>(storage.ring_rows);
  }

  Tensor step(const IndexerStep& inputs) override {
    const WatchedInput projected(inputs.projected), requests(inputs.token_to_request), places(inputs.places),
        coordinates(inputs.coordinates);
    const std::int64_t rows = inputs.projected.extent(0), heads = model_.geometry.index_heads;
    IndexStep step;
    step.query = projected.as<std::byte>();
    step.query_stride = step.raw_key_stride = (heads + 1) * dim();
    step.raw_key = projected.as<std::byte>() + heads * dim() * element_;
    step.rows = rows;
    step.token_to_request = requests.as<std::int32_t>();
    step.places = places.as<std::int64_t>();
    step.coordinates = coordinates.as<std::int64_t>();
    const DeviceBuffer<std::byte> queries = all_ones(rows * heads * dim() * element_);
    await_inputs();
    serve([&] {
      index_queries(indexer_, step, store_.requests, queries.data(), stream_.get(),
                    trace().of(dispatch::Route::index_queries));
      append_index_keys(indexer_, step, store_, stream_.get(), trace().of(dispatch::Route::index_keys));
    });
    stream_.synchronize();
    for (const WatchedInput* input : {&projected, &requests, &places, &coordinates})
      input->require_unchanged();
    return downloaded(queries.data(), model_.storage, {rows, heads, dim()});
  }
  Tensor keys() const override {
    return downloaded(keys_.data(), model_.storage, {storage_.pages, storage_.page_size, dim()});
  }
  Tensor ring() const override {
    return downloaded(ring_.data(), model_.storage, {storage_.requests, storage_.ring_rows, dim()});
  }

 private:
  Trace trace() const { return tracer_ ? tracer_->trace() : Trace{}; }
  std::int64_t dim() const { return model_.geometry.index_head_dim; }
  static std::span<const float> frequencies(const IndexerModel& model) {
    return {reinterpret_cast<const float*>(model.inverse_frequencies.data),
            static_cast<std::size_t>(model.inverse_frequencies.extent(0))};
  }

  IndexerModel model_;
  IndexerStorage storage_;
  std::shared_ptr<Tracer> tracer_;
  std::int64_t element_;
  Stream stream_;
  DeviceBuffer<float> query_gain_, key_gain_;
  DeviceBuffer<std::byte> table_, keys_, ring_;
  DeviceBuffer<std::int64_t> ring_coordinates_;
  RotationTable rotation_;
  IndexerParameters indexer_;
  IndexKeyStore store_;
};

class CudaIndexer final : public IndexerSubject {
 public:
  explicit CudaIndexer(std::shared_ptr<Tracer> tracer) : tracer_(std::move(tracer)) {}
  std::string name() const override { return "cuda:indexer"; }

  Tensor project(const TensorView& x, const TensorView& weight) override {
    const IndexType type = index_type(x.dtype);
    const DeviceBuffer<std::byte> input = uploaded(x), weights = uploaded(weight);
    const std::int64_t tokens = x.extent(0), outputs = weight.extent(0);
    const DeviceBuffer<std::byte> out =
        all_ones(tokens * outputs * static_cast<std::int64_t>(size_of(x.dtype)));
    await_inputs();
    projection_.project(type, input.data(), tokens, x.extent(1), weights.data(), outputs, out.data(),
                        stream_.get());
    stream_.synchronize();
    return downloaded(out.data(), x.dtype, {tokens, outputs});
  }
  std::unique_ptr<IndexerSequences> start(const IndexerModel& model, const IndexerStorage& storage) override {
    return std::make_unique<CudaSequences>(model, storage, tracer_);
  }

 private:
  std::shared_ptr<Tracer> tracer_;
  Stream stream_;
  IndexProjection projection_;
};

}  // namespace

std::unique_ptr<IndexerSubject> cuda_indexer(std::shared_ptr<Tracer> tracer) {
  return std::make_unique<CudaIndexer>(std::move(tracer));
}

}  // namespace plumbline::gpu

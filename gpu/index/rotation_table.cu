#include "gpu/index/rotation_table.h"
#include "gpu/index/stored_number.cuh"
#include "gpu/trace/trace_tag.cuh"

namespace plumbline::gpu {
namespace {

template <typename Stored>
__global__ void rotation_table_kernel(const float* frequencies, std::int32_t pairs, std::int64_t rows,
                                      typename Stored::Bits* table, TraceTag tag) {
  record_hit(tag, dispatch::Kernel::rotation_table);
  const std::int64_t at = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (at >= rows * pairs) return;
  const std::int64_t row = at / pairs, pair = at % pairs;
  const float angle = __fmul_rn(static_cast<float>(row), frequencies[pair]);
  double sine, cosine;
  sincos(static_cast<double>(angle), &sine, &cosine);
  table[2 * row * pairs + pair] = Stored::bits(static_cast<float>(cosine));
  table[(2 * row + 1) * pairs + pair] = Stored::bits(static_cast<float>(sine));
}

}  // namespace

RotationTable::RotationTable(IndexType type, std::span<const float> inverse_frequencies, std::int64_t rows,
                             cudaStream_t stream, const TraceTag& tag)
    : frequencies_(static_cast<std::int64_t>(inverse_frequencies.size())),
      table_(2 * rows * frequencies_.size() * (type == IndexType::kFloat32 ? 4 : 2)),
      rows_(rows) {
  const auto pairs = static_cast<std::int32_t>(inverse_frequencies.size());
  if (rows == 0 || pairs == 0) return;
  PLUMBLINE_CHECK(cudaMemcpyAsync(frequencies_.data(), inverse_frequencies.data(), frequencies_.bytes(),
                                  cudaMemcpyHostToDevice, stream));
  with_storage(type, [&](auto stored) {
    using Stored = decltype(stored);
    rotation_table_kernel<Stored><<<static_cast<unsigned>((rows * pairs + 255) / 256), 256, 0, stream>>>(
        frequencies_.data(), pairs, rows, reinterpret_cast<typename Stored::Bits*>(table_.data()), tag);
    PLUMBLINE_CHECK_LAUNCH(rotation_table_kernel);
  });
}

}  // namespace plumbline::gpu

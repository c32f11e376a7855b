#include "gpu/subject/cuda_products.h"

#include "gpu/probe/mma_dot.h"
#include "gpu/runtime/cublas_handle.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/subject/device_tensors.h"

#include <cstring>
#include <vector>

namespace plumbline::gpu {
namespace {

KeyType key_type(DType type) {
  if (type == DType::float16) return KeyType::kFloat16;
  if (type == DType::bfloat16) return KeyType::kBfloat16;
  throw UnsupportedCase("products of 16-bit numbers only");
}

/// Operands cut into tiles [batch · m/16 · n/8]: each tile has its own copy of 16 and 8 rows.
class MmaSync final : public ProductSubject {
 public:
  std::string name() const override { return "cuda:mma.sync"; }

  Tensor multiply(const TensorView& a, const TensorView& b) override {
    const std::int64_t batch = a.extent(0), m = a.extent(1), n = b.extent(1), k = a.extent(2);
    if (m % 16 != 0 || n % 8 != 0) throw UnsupportedCase("mma.sync: tiles of 16 × 8");
    const std::int64_t across = n / 8, down = m / 16, tiles = batch * down * across;
    Tensor left(a.dtype, {tiles, 16, k}), right(b.dtype, {tiles, 8, k});
    for (std::int64_t t = 0; t < tiles; ++t) {
      const std::int64_t entry = t / (down * across), row = t / across % down, column = t % across;
      const auto width = static_cast<std::size_t>(k) * 2;
      std::memcpy(left.bytes.data() + static_cast<std::size_t>(t) * 16 * width, a.at(entry, 16 * row, 0),
                  16 * width);
      std::memcpy(right.bytes.data() + static_cast<std::size_t>(t) * 8 * width, b.at(entry, 8 * column, 0),
                  8 * width);
    }
    const DeviceBuffer<std::byte> device_left = uploaded(left.view()), device_right = uploaded(right.view());
    const DeviceBuffer<float> device_out(tiles * 128);
    try {
      mma_dot(key_type(a.dtype), device_left.data(), device_right.data(), tiles, static_cast<std::int32_t>(k),
              device_out.data(), nullptr);
    } catch (const Unsupported& unsupported) {
      throw UnsupportedCase(unsupported.what());
    }
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    const Tensor by_tile = downloaded(device_out.data(), DType::float32, {tiles, 16, 8});
    Tensor out(DType::float32, {batch, m, n});
    for (std::int64_t t = 0; t < tiles; ++t) {
      const std::int64_t entry = t / (down * across), row = t / across % down, column = t % across;
      for (std::int64_t i = 0; i < 16; ++i)
        std::memcpy(out.as<float>().data() + (entry * m + 16 * row + i) * n + 8 * column,
                    by_tile.as<float>().data() + (t * 16 + i) * 8, 8 * sizeof(float));
    }
    return out;
  }
};

class Cublas final : public ProductSubject {
 public:
  std::string name() const override { return "cuda:cublas"; }

  Tensor multiply(const TensorView& a, const TensorView& b) override {
    const std::int64_t batch = a.extent(0), m = a.extent(1), n = b.extent(1), k = a.extent(2);
    const cudaDataType type = key_type(a.dtype) == KeyType::kFloat16 ? CUDA_R_16F : CUDA_R_16BF;
    const DeviceBuffer<std::byte> left = uploaded(a), right = uploaded(b);
    const DeviceBuffer<float> out(batch * m * n);
    const float one = 1, zero = 0;
    for (std::int64_t entry = 0; entry < batch; ++entry)
      PLUMBLINE_CHECK(cublasGemmEx(
          cublas_.on(nullptr), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(n), static_cast<int>(m),
          static_cast<int>(k), &one, right.data() + entry * n * k * 2, type, static_cast<int>(k),
          left.data() + entry * m * k * 2, type, static_cast<int>(k), &zero, out.data() + entry * m * n,
          CUDA_R_32F, static_cast<int>(n), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    return downloaded(out.data(), DType::float32, {batch, m, n});
  }

 private:
  CublasHandle cublas_;
};

}  // namespace

std::vector<std::string> product_routes() { return {"mma.sync", "cublas"}; }

std::unique_ptr<ProductSubject> product_subject(const std::string& route) {
  if (route == "mma.sync") return std::make_unique<MmaSync>();
  if (route == "cublas") return std::make_unique<Cublas>();
  return nullptr;
}

}  // namespace plumbline::gpu

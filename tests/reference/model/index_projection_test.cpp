#include "reference/model/index_projection.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/index_key_cache.h"
#include "tests/reference/model/tiny_model.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(IndexProjection, SplitsIntoQueryHeadsAndTheRawKey) {
  Tensor projected(DType::float32, {2, 6});  // 2 heads of 2, and a key of 2
  for (std::size_t i = 0; i < 12; ++i) projected.as<float>()[i] = static_cast<float>(i);
  const TensorView query = query_part(projected.view(), 2, 2), key = raw_key_part(projected.view(), 2, 2);
  EXPECT_EQ(query.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(decode_element(query.dtype, query.at(1, 1, 0)), 8);
  EXPECT_EQ(key.shape, (Shape{2, 2}));
  EXPECT_EQ(decode_element(key.dtype, key.at(0, 1)), 5);
  EXPECT_EQ(decode_element(key.dtype, key.at(1, 0)), 10);
}

// CASES.md E8: both halves are strided views of one tensor, and what reads them must follow the strides.
TEST(IndexProjection, ItsHalvesAreReadLikeContiguousCopies) {
  constexpr std::int64_t tokens = 9, heads = 2, dim = 16;
  IndexerConfig config;
  config.geometry = {heads, dim, 4, 2};
  config.storage = DType::bfloat16;
  config.rotary_dim = 8;
  config.sections = {4, 0, 0};
  const std::vector<double> norm(dim, 0.25);
  const QsaIndexer indexer(
      config,
      {norm, norm,
       default_frequencies(1e4, 8, config.sections, EngineArithmetic(exact_profile(), config.storage))},
      hf_cuda_profile());
  const Tensor projected = random_tensor(DType::bfloat16, {tokens, (heads + 1) * dim}, 7, 2);
  const auto copy = [](const TensorView& view, const Shape& shape) {
    Tensor all(view.dtype, shape);
    std::byte* to = all.bytes.data();
    for (std::int64_t t = 0; t < view.extent(0); ++t) {
      const std::int64_t row = element_count(shape) / view.extent(0);
      std::memcpy(to + t * row * 2, view.at(t), static_cast<std::size_t>(row) * 2);
    }
    return all;
  };
  const TensorView query = query_part(projected.view(), heads, dim),
                   key = raw_key_part(projected.view(), heads, dim);
  ASSERT_EQ(key.strides[0], (heads + 1) * dim);
  std::vector<Coordinates> places;
  for (std::int64_t t = 0; t < tokens; ++t) places.push_back({t, 2 * t, t + 3});
  const Tensor query_copy = copy(query, {tokens, heads, dim}), key_copy = copy(key, {tokens, dim});
  EXPECT_EQ(indexer.queries(query, places).tensor.bytes,
            indexer.queries(query_copy.view(), places).tensor.bytes);
  IndexKeyCache strided(indexer), contiguous(indexer);
  strided.append(key, places);
  contiguous.append(key_copy.view(), places);
  EXPECT_EQ(strided.keys().tensor.bytes, contiguous.keys().tensor.bytes);
  EXPECT_EQ(strided.state().raw.bytes, contiguous.state().raw.bytes);
}

TEST(IndexProjection, RefusesShapesThatDoNotFit) {
  const Tensor four_wide(DType::float32, {2, 4}), five_wide(DType::float32, {6, 5});
  EXPECT_THROW(query_part(four_wide.view(), 2, 2), InputError);
  EXPECT_THROW(raw_key_part(five_wide.view(), 2, 2), InputError);
}

}  // namespace
}  // namespace plumbline

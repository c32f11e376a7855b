#include "reference/model/index_projection.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/capture/model_capture.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"

namespace plumbline {
namespace {

Tensor as_matrix(Tensor tensor) {
  tensor.shape.erase(tensor.shape.begin());
  return tensor;
}

TEST(IndexProjection, StaysWithinItsBoundOnRecordedLayers) {
  for (const char* path : {PLUMBLINE_SOURCE_DIR "/fixtures/golden/tiny_fp32.h5",
                           PLUMBLINE_SOURCE_DIR "/fixtures/golden/tiny_wide_bf16.h5"}) {
    const ModelCapture capture{path};
    const auto& forward = capture.forwards()[0];
    const std::string module = "taps/model.layers.3.self_attn.indexer";
    const Tensor hidden = as_matrix(capture.read(forward, module + "/in"));
    const Tensor recorded = as_matrix(capture.read(forward, module + ".index_qk_proj/out"));
    const Tensor weight = capture.weight("model.layers.3.self_attn.indexer.index_qk_proj.weight");
    const BoundedTensor ours =
        index_projection(hidden.view(), weight.view(), EngineArithmetic(hf_cpu_profile(), hidden.dtype));
    ASSERT_EQ(ours.tensor.shape, recorded.shape);
    std::int64_t certain = 0;
    for (std::int64_t i = 0; i < element_count(recorded.shape); ++i) {
      const double found = decode_element(
          recorded.dtype, recorded.bytes.data() + static_cast<std::size_t>(i) * size_of(recorded.dtype));
      ASSERT_LE(std::abs(found - ours.at(i).value), ours.at(i).error) << path << " element " << i;
      certain += ours.at(i).error == 0;
    }
    if (hidden.dtype == DType::bfloat16) {
      EXPECT_GT(certain, element_count(recorded.shape) * 9 / 10);
    }
  }
}

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

TEST(IndexProjection, RefusesShapesThatDoNotFit) {
  const Tensor hidden(DType::float32, {2, 4}), weight(DType::float32, {6, 5});
  EXPECT_THROW(
      index_projection(hidden.view(), weight.view(), EngineArithmetic(exact_profile(), DType::float32)),
      InputError);
  EXPECT_THROW(query_part(hidden.view(), 2, 2), InputError);
  EXPECT_THROW(raw_key_part(weight.view(), 2, 2), InputError);
}

}  // namespace
}  // namespace plumbline

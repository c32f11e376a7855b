#include "reference/model/index_projection.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"

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

TEST(IndexProjection, RefusesShapesThatDoNotFit) {
  const Tensor four_wide(DType::float32, {2, 4}), five_wide(DType::float32, {6, 5});
  EXPECT_THROW(query_part(four_wide.view(), 2, 2), InputError);
  EXPECT_THROW(raw_key_part(five_wide.view(), 2, 2), InputError);
}

}  // namespace
}  // namespace plumbline

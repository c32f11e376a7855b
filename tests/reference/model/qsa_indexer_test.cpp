#include "reference/model/qsa_indexer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/index_key_cache.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/certified_select.h"

namespace plumbline {
namespace {

IndexerConfig config_of(std::int32_t heads, std::int32_t dim, std::int32_t ratio, std::int64_t rotary_dim,
                        DType storage) {
  IndexerConfig config;
  config.geometry = {heads, dim, ratio, 2};
  config.storage = storage;
  config.rotary_dim = rotary_dim;
  config.sections = {rotary_dim / 2, 0, 0};
  return config;
}

QsaIndexer indexer_of(const IndexerConfig& config, double norm_weight, const RoundingProfile& profile,
                      double theta = 1e4) {
  const std::vector<double> norm(static_cast<std::size_t>(config.geometry.index_head_dim), norm_weight);
  return {config,
          {norm, norm,
           default_frequencies(theta, config.rotary_dim, config.sections,
                               EngineArithmetic(exact_profile(), config.storage))},
          profile};
}

/// Small numbers with few bits, so that some means are rounding ties.
Tensor arbitrary_tensor(DType type, const Shape& shape) {
  Tensor tensor(type, shape);
  const auto count = static_cast<std::size_t>(element_count(shape));
  const auto numbers = *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(-300, 300));
  for (std::size_t i = 0; i < count; ++i) {
    encode_element(type, numbers[i] * 0x1p-7, tensor.bytes.data() + i * size_of(type));
  }
  return tensor;
}

TensorView rows_of(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  TensorView view = tensor.view();
  view.data = view.at(first);
  view.shape[0] = count;
  return view;
}

std::vector<Coordinates> text_from(std::int64_t first, std::int64_t count) {
  std::vector<Coordinates> coordinates;
  for (std::int64_t i = 0; i < count; ++i) coordinates.push_back(Coordinates::text(first + i));
  return coordinates;
}

BoundedTensor keys_of(const QsaIndexer& indexer, const TensorView& raw, const std::vector<Coordinates>& at) {
  IndexKeyCache cache(indexer);
  cache.append(raw, at);
  return cache.keys();
}

/// The canonical selection of one query over the keys of the tokens up to it.
std::vector<std::int32_t> selection(const QsaIndexer& indexer, const TensorView& query, const TensorView& raw,
                                    const std::vector<Coordinates>& at, std::int64_t position) {
  const auto slot = static_cast<std::size_t>(position);
  TensorView query_row = query;
  query_row.data = query.at(position);
  query_row.shape[0] = 1;
  const BoundedTensor q = indexer.queries(query_row, {at.data() + slot, 1});
  const BoundedTensor k = keys_of(indexer, raw, at);
  Tensor visible(DType::int32, {1});
  visible.as<std::int32_t>()[0] =
      static_cast<std::int32_t>((position + 1) / indexer.config().geometry.compress_ratio);
  SelectInputs inputs;
  inputs.geometry = indexer.config().geometry;
  inputs.rows = 1;
  inputs.blocks = k.tensor.extent(0);
  inputs.index_query = q.tensor.view();
  inputs.index_key = k.tensor.view();
  inputs.visible_blocks = visible.view();
  return CertifiedSelector(inputs).row(0)->blocks;
}

constexpr std::int64_t kTokens = 13;
const RoundingProfile* arbitrary_profile() {
  return *rc::gen::element(&exact_profile(), &hf_cpu_profile(), &hf_cuda_profile());
}
DType arbitrary_storage() { return *rc::gen::element(DType::float32, DType::float16, DType::bfloat16); }

RC_GTEST_PROP(QsaIndexer, ATokenAfterTheQueryChangesNothing, ()) {
  const DType storage = arbitrary_storage();
  const QsaIndexer indexer =
      indexer_of(config_of(2, 8, *rc::gen::inRange(1, 6), 4, storage), 0.25, *arbitrary_profile());
  const Tensor projected = arbitrary_tensor(storage, {kTokens, 2, 8});
  Tensor raw = arbitrary_tensor(storage, {kTokens, 8});
  auto at = text_from(0, kTokens);
  for (std::int64_t position = 0; position < kTokens - 1; ++position) {  // every position mod ratio
    const auto before = selection(indexer, projected.view(), raw.view(), at, position);
    Tensor changed = raw;
    const std::size_t row = 8 * size_of(storage), first = static_cast<std::size_t>(position + 1) * row;
    std::memset(changed.bytes.data() + first, 0x35, changed.bytes.size() - first);
    RC_ASSERT(selection(indexer, projected.view(), changed.view(), at, position) == before);
    // The same without the later tokens at all.
    const std::vector<Coordinates> head(at.begin(), at.begin() + position + 1);
    RC_ASSERT(selection(indexer, projected.view(), rows_of(raw, 0, position + 1), head, position) == before);
  }
}

RC_GTEST_PROP(QsaIndexer, AnySplitIntoCallsGivesTheSameBits, ()) {
  const DType storage = arbitrary_storage();
  const QsaIndexer indexer = indexer_of(config_of(1, 8, 4, 4, storage), 0.25, *arbitrary_profile());
  const Tensor raw = arbitrary_tensor(storage, {kTokens, 8});
  const auto at = text_from(0, kTokens);
  IndexKeyCache cache(indexer);
  for (std::int64_t done = 0; done < kTokens;) {
    const auto count = *rc::gen::inRange<std::int64_t>(1, kTokens - done + 1);
    cache.append(rows_of(raw, done, count),
                 std::span(at).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)));
    done += count;
  }
  const BoundedTensor whole = keys_of(indexer, raw.view(), at), split = cache.keys();
  RC_ASSERT(cache.tokens() == kTokens);
  RC_ASSERT(split.tensor.bytes == whole.tensor.bytes);
  RC_ASSERT(split.error == whole.error);
}

RC_GTEST_PROP(QsaIndexer, ALeftPaddedRowEqualsItsOwnRunAtThoseCoordinates, ()) {
  const DType storage = arbitrary_storage();
  const QsaIndexer indexer = indexer_of(config_of(1, 8, 4, 4, storage), 0.25, *arbitrary_profile());
  const Tensor raw = arbitrary_tensor(storage, {kTokens, 8});
  const auto padding = *rc::gen::inRange<std::int64_t>(0, kTokens);
  const auto at = text_from(padding, kTokens - padding);
  // Padded: only live tokens enter the cache, one call each. Alone: the same tokens as one prompt.
  IndexKeyCache padded(indexer);
  for (std::int64_t t = padding; t < kTokens; ++t)
    padded.append(rows_of(raw, t, 1), {&at[static_cast<std::size_t>(t - padding)], 1});
  RC_ASSERT(padded.keys().tensor.bytes ==
            keys_of(indexer, rows_of(raw, padding, kTokens - padding), at).tensor.bytes);
}

TEST(QsaIndexer, TokensThatShareOnePositionStillFormBlocksInOrder) {
  const DType storage = DType::float32;
  const QsaIndexer indexer = indexer_of(config_of(1, 8, 4, 4, storage), 0, hf_cpu_profile());
  Tensor raw(storage, {300, 8});
  for (std::size_t i = 0; i < 2400; ++i)
    raw.as<float>()[i] = static_cast<float>((i / 32 * 7 + i % 8) % 11) - 4.5f;
  const std::vector<Coordinates> at(300, Coordinates{9, 3, 5});
  const BoundedTensor keys = keys_of(indexer, raw.view(), at);
  ASSERT_EQ(keys.tensor.extent(0), 75);
  for (std::int64_t block = 0; block < 75; ++block) {
    std::vector<Bounded> expected(8);
    indexer.block_key(rows_of(raw, 4 * block, 4), at[0], expected);
    for (std::int64_t d = 0; d < 8; ++d) {
      ASSERT_EQ(keys.at(block * 8 + d).value, expected[static_cast<std::size_t>(d)].value)
          << block << " " << d;
    }
  }
}

TEST(QsaIndexer, APooledKeyTurnsAtItsFirstMembersCoordinates) {
  IndexerConfig config = config_of(1, 12, 4, 12, DType::float32);
  config.sections = {2, 2, 2};
  const QsaIndexer indexer = indexer_of(config, 0, exact_profile());
  Tensor raw(DType::float32, {4, 12});
  for (int t = 0; t < 4; ++t) raw.as<float>()[static_cast<std::size_t>(t * 12 + 1)] = 1;  // pair 1: height
  const BoundedTensor keys =
      keys_of(indexer, raw.view(), {{5, 17, 29}, {6, 18, 30}, {7, 19, 31}, {8, 20, 32}});
  const double angle = 17 * std::pow(1e4, -2.0 / 12), length = std::sqrt(12.0);
  EXPECT_NEAR(keys.at(1).value, length * std::cos(angle), 1e-4);
  EXPECT_NEAR(keys.at(1 + 6).value, length * std::sin(angle), 1e-4);
}

TEST(QsaIndexer, OneHotQueryAndKeyScoreTheClosedForm) {
  // 64 of 128 dims are rotary, in half-split pairs (d, d + 32); a norm makes a one-hot vector's square
  // 1/(1/128 + ε).
  const IndexerConfig config = config_of(1, 128, 1, 64, DType::float32);
  const double square = 1 / (1.0 / 128 + config.norm_epsilon);
  const QsaIndexer indexer = indexer_of(config, 0, exact_profile(), 1e7);
  const std::int64_t at_query = 1234, at_key = 1000;
  const auto one_hot = [](std::int64_t d, const Shape& shape) {
    Tensor tensor(DType::float32, shape);
    tensor.as<float>()[static_cast<std::size_t>(d)] = 1;
    return tensor;
  };
  const std::vector<Coordinates> query_place = {Coordinates::text(at_query)},
                                 key_place = {Coordinates::text(at_key)};
  std::vector<BoundedTensor> queries, keys;
  for (std::int64_t d = 0; d < 128; ++d) {
    queries.push_back(indexer.queries(one_hot(d, {1, 1, 128}).view(), query_place));
    keys.push_back(keys_of(indexer, one_hot(d, {1, 128}).view(), key_place));
  }
  for (std::int64_t dq = 0; dq < 128; ++dq) {
    for (std::int64_t dk = 0; dk < 128; ++dk) {
      double expected = 0;
      if (dq >= 64 || dk >= 64) {
        expected = dq == dk ? 1 : 0;
      } else if (dq % 32 == dk % 32) {
        const double angle =
            static_cast<double>(at_query - at_key) * std::pow(1e7, -static_cast<double>(dq % 32) / 32);
        // (1, 0) turned by a, (0, 1) turned by b: their product is cos(a) · −sin(b) + sin(a) · cos(b).
        expected = dq == dk ? std::cos(angle) : dq < dk ? std::sin(angle) : -std::sin(angle);
      }
      TensorView query = queries[static_cast<std::size_t>(dq)].tensor.view();
      query.shape = {1, 128};
      query.strides = {128, 1};
      TensorView key = keys[static_cast<std::size_t>(dk)].tensor.view();
      key.shape = {128};
      key.strides = {1};
      ASSERT_NEAR(exact_relu_sum(query, key).to_double(), square * std::max(0.0, expected), 1e-4)
          << dq << " " << dk;
    }
  }
}

TEST(QsaIndexer, AConstantKeyUnderAWeightOfMinusOneScoresZero) {
  const IndexerConfig config = config_of(1, 8, 4, 4, DType::bfloat16);
  const QsaIndexer indexer = indexer_of(config, -1, hf_cuda_profile());
  Tensor raw(DType::bfloat16, {4, 8});
  for (std::size_t i = 0; i < 32; ++i) {
    encode_element(DType::bfloat16, 7 + 0.125 * static_cast<double>(i % 5), raw.bytes.data() + 2 * i);
  }
  const BoundedTensor keys = keys_of(indexer, raw.view(), text_from(40, 4));
  for (std::int64_t d = 0; d < 8; ++d) EXPECT_EQ(std::abs(keys.at(d).value) + keys.at(d).error, 0) << d;
}

TEST(QsaIndexer, RefusesWeightsThatDoNotFit) {
  const IndexerConfig config = config_of(1, 8, 4, 4, DType::bfloat16);
  const std::vector<double> eight(8, 0), seven(7, 0);
  const RotaryFrequencies frequencies = recorded_frequencies(std::vector<float>{1, 0.5f}, {2, 0, 0});
  EXPECT_NO_THROW(QsaIndexer(config, {eight, eight, frequencies}, exact_profile()));
  EXPECT_THROW(QsaIndexer(config, {seven, eight, frequencies}, exact_profile()), InputError);
  EXPECT_THROW(QsaIndexer(config, {eight, seven, frequencies}, exact_profile()), InputError);
  EXPECT_THROW(QsaIndexer(config, {eight, eight, {}}, exact_profile()), InputError);
}

}  // namespace
}  // namespace plumbline

#include "oracle/run/batch_from_case.h"

#include "fixtures/cases/generate.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(BatchFromCase, TakesShapesAndHostValuesOfAPagedCase) {
  const CaseSpec spec = parse_case("paged:rows=40,blocks=900,page=16,requests=3");
  const GeneratedPaged generated = generate_paged(spec);
  const dispatch::Batch batch = batch_of(spec);
  EXPECT_NO_THROW(dispatch::validate(batch));
  EXPECT_EQ(batch.rows(), 40);
  EXPECT_EQ(batch.requests(), 3);
  EXPECT_EQ(batch.page_size(), 16);
  EXPECT_EQ(batch.key_cache.shape, generated.index_key_cache.shape);
  EXPECT_EQ(batch.page_table.shape, generated.page_table.shape);
  EXPECT_EQ(batch.query_positions.type, dispatch::ElementType::int64);
  ASSERT_TRUE(batch.query_starts);
  EXPECT_EQ(batch.query_starts->front(), 0);
  EXPECT_EQ(batch.query_starts->back(), 40);
}

TEST(BatchFromCase, TheLastRowOfARequestSeesAllItsCompleteBlocks) {
  const dispatch::Batch batch = batch_of(parse_case("paged:rows=40,blocks=900,page=16,requests=3"));
  for (std::size_t request = 0; request < batch.lengths.size(); ++request) {
    EXPECT_EQ(batch.visible_max.at(request), batch.lengths[request] / 4);
  }
}

TEST(BatchFromCase, RowsOfNoRequestSeeNothing) {
  GeneratedPaged generated = generate_paged(parse_case("paged:rows=8,blocks=900,page=16"));
  for (std::int32_t& request : generated.token_to_request.as<std::int32_t>()) request = -1;
  EXPECT_EQ(batch_of(generated.inputs()).visible_max, std::vector<std::int64_t>{0});
}

TEST(BatchFromCase, ACaseOnLogicalBlocksIsOneRequestOnOnePage) {
  const dispatch::Batch batch = batch_of(parse_case("select:rows=1616,blocks=7250,dtype=bf16"));
  EXPECT_NO_THROW(dispatch::validate(batch));
  EXPECT_EQ(batch.rows(), 1616);
  EXPECT_EQ(batch.capacity(), 7250);
  EXPECT_EQ(batch.visible_of(0), 7250);
  EXPECT_EQ(batch.query.type, dispatch::ElementType::bfloat16);
}

}  // namespace
}  // namespace plumbline

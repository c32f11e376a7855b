#include "oracle/run/prove_paged.h"

#include "fixtures/cases/generate.h"
#include "reference/model/page_table.h"
#include "reference/model/request_rows.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

CaseSpec default_case_of(const std::string& family) {
  return parse_case(std::ranges::find(data_families(), family, &DataFamily::name)->default_case);
}

TEST(ProvePaged, RefutesAPaddedRowThatHoldsABlock) {
  const GeneratedPaged generated = generate_paged(default_case_of("padded_rows"));
  const PagedSelectInputs inputs = generated.inputs();
  PagedSelectOutputs outputs = ReferenceSubject().select_paged(inputs);
  ASSERT_EQ(prove_paged(inputs, outputs).status, Status::pass);
  std::int64_t row = 0;
  while (!is_padded_row(inputs, row)) ++row;
  outputs.selected_blocks->as<std::int32_t>()[static_cast<std::size_t>(row * inputs.geometry.block_topk)] = 0;
  const ProofReport report = prove_paged(inputs, outputs);
  EXPECT_EQ(report.status, Status::fail);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults.front().row, row);
  EXPECT_EQ(report.faults.front().what, "a padded row that is not all -1");
}

/// Takes another block behind an unmapped page in place of the highest one a row holds, if that row has both.
bool take_a_higher_unmapped_block(const std::vector<std::uint8_t>& valid, std::int64_t visible,
                                  std::span<std::int32_t> row) {
  const auto held = std::find_if(row.rbegin(), row.rend(), [&](std::int32_t block) {
    return block >= 0 && valid[static_cast<std::size_t>(block)] == 0;
  });
  if (held == row.rend()) return false;
  for (auto block = static_cast<std::int32_t>(visible) - 1; block > *held; --block) {
    if (valid[static_cast<std::size_t>(block)] != 0) continue;
    *held = block;
    std::sort(row.begin(), row.end());
    return true;
  }
  return false;
}

TEST(ProvePaged, RefutesAHigherBlockBehindAnUnmappedPageThanTheTieRuleTakes) {
  const GeneratedPaged generated = generate_paged(default_case_of("paged_holes"));
  const PagedSelectInputs inputs = generated.inputs();
  const PagedSelectOutputs canonical = ReferenceSubject().select_paged(inputs);
  const auto k = static_cast<std::size_t>(inputs.geometry.block_topk);
  int tried = 0;
  for (const RequestRows& rows : rows_by_request(inputs)) {
    const std::vector<std::uint8_t> valid = gather_keys(inputs, rows.request, rows.blocks).valid;
    for (std::size_t i = 0; i < rows.numbers.size() && tried < 20; ++i) {
      PagedSelectOutputs outputs = canonical;
      const auto row = static_cast<std::size_t>(rows.numbers[i]);
      if (!take_a_higher_unmapped_block(valid, rows.visible.as<std::int32_t>()[i],
                                        outputs.selected_blocks->as<std::int32_t>().subspan(row * k, k)))
        continue;
      ++tried;
      const ProofReport report = prove_paged(inputs, outputs);
      EXPECT_EQ(report.status, Status::fail);
      ASSERT_EQ(report.faults.size(), 1u);
      EXPECT_EQ(report.faults.front().row, rows.numbers[i]);
      EXPECT_NE(report.faults.front().what.find("behind an unmapped page, which ranks too low"),
                std::string::npos);
    }
  }
  EXPECT_GT(tried, 0);
}

}  // namespace
}  // namespace plumbline

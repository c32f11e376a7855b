#include "oracle/run/prove_paged.h"

#include "fixtures/cases/generate.h"
#include "reference/model/request_rows.h"
#include "reference/select/reference_subject.h"

#include <algorithm>

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

}  // namespace
}  // namespace plumbline

#include "oracle/run/per_request_subject.h"

#include "fixtures/cases/generate.h"
#include "oracle/run/family_cases.h"
#include "reference/select/reference_subject.h"

#include <memory>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// The reference, refusing what a kernel for one request refuses.
class OneRequestReference final : public SelectSubject {
 public:
  std::string name() const override { return "one request"; }
  SelectOutputs select(const SelectInputs& inputs) override { return reference_.select(inputs); }
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override {
    if (inputs.page_table.extent(0) != 1) throw UnsupportedCase("takes one request");
    return reference_.select_paged(inputs);
  }

 private:
  ReferenceSubject reference_;
};

TEST(PerRequestSubject, AnswersEveryPagedFamilyAsOneCallOverAllRequests) {
  int paged = 0, of_several = 0;
  for (const FamilyCase& one : family_cases(0)) {
    if (one.spec.kind != CaseSpec::Kind::paged) continue;
    const GeneratedPaged generated = generate_paged(one.spec);
    const PagedSelectInputs inputs = generated.inputs();
    const PagedSelectOutputs whole = ReferenceSubject().select_paged(inputs);
    const PagedSelectOutputs split =
        PerRequestSubject(std::make_shared<OneRequestReference>()).select_paged(inputs);
    EXPECT_EQ(split.selected_tokens.bytes, whole.selected_tokens.bytes) << one.name;
    ASSERT_TRUE(split.selected_blocks) << one.name;
    EXPECT_EQ(split.selected_blocks->bytes, whole.selected_blocks->bytes) << one.name;
    ++paged;
    if (inputs.page_table.extent(0) > 1) ++of_several;
  }
  EXPECT_GT(paged, 15);
  EXPECT_GT(of_several, 10);
}

TEST(PerRequestSubject, PassesACallWithoutRequestsOn) {
  const GeneratedPaged generated = generate_paged(parse_case("paged:topk=4,blocks=8,rows=2"));
  PagedSelectInputs inputs = generated.inputs();
  Tensor padded(DType::int32, {2});
  padded.as<std::int32_t>()[0] = padded.as<std::int32_t>()[1] = -1;
  inputs.token_to_request = padded.view();
  inputs.page_table.shape[0] = inputs.sequence_lengths.shape[0] = 0;
  const PagedSelectOutputs outputs =
      PerRequestSubject(std::make_shared<ReferenceSubject>()).select_paged(inputs);
  for (const std::int32_t token : outputs.selected_tokens.as<std::int32_t>()) EXPECT_EQ(token, -1);
}

}  // namespace
}  // namespace plumbline

// A case as it is typed into a bug report. What is accepted is printed, parsed again, and made where it is
// small.

#include "fixtures/cases/generate.h"
#include "tests/fuzz/fuzz.h"

using namespace plumbline;

namespace {

bool small(const CaseSpec& spec) {
  const SelectGeometry& g = spec.geometry;
  return spec.rows <= 4 && spec.blocks <= 64 && g.index_heads <= 4 && g.index_head_dim <= 16 &&
         g.block_topk <= 64 && g.compress_ratio <= 8 && spec.page_size <= 64 && spec.requests <= 4;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CaseSpec spec;
  if (fuzz::refuses<InputError>([&] { spec = parse_case(fuzz::text_of(data, size)); })) return 0;
  const std::string text = format_case(spec);
  fuzz::require(parse_case(text) == spec, "printed, it is another case: " + text);
  fuzz::require(format_case(parse_case(text)) == text, "printed twice, it is another text: " + text);
  if (!small(spec)) return 0;
  fuzz::refuses<InputError>([&] {
    if (spec.kind == CaseSpec::Kind::paged) {
      const GeneratedPaged made = generate_paged(spec);
      fuzz::require(made.inputs().index_query.extent(0) == spec.rows, "a case of other rows");
    } else {
      const GeneratedSelect made = generate_select(spec);
      fuzz::require(made.inputs().rows == spec.rows, "a case of other rows");
    }
  });
  return 0;
}

#include "oracle/run/write_case.h"

#include "fixtures/capture/capture_writer.h"
#include "fixtures/cases/generate.h"
#include "oracle/report/machine.h"
#include "reference/select/reference_subject.h"

namespace plumbline {

void write_case(const CaseSpec& spec, const std::string& path) {
  const bool paged = spec.kind == CaseSpec::Kind::paged;
  const std::string group = "/select/0000";
  CaptureWriter writer(path);
  CaptureInfo info;
  info.kind = paged ? CaptureKind::select_paged : CaptureKind::select;
  info.producer = "plumbline " + build_name() + ", generated; selection by the reference";
  info.case_name = format_case(spec);
  info.contract = "canonical";
  writer.root_attributes(info);
  write_geometry(writer, spec.geometry);
  ReferenceSubject reference;
  if (paged) {
    const GeneratedPaged generated = generate_paged(spec);
    const PagedSelectInputs inputs = generated.inputs();
    write_paged_inputs(writer, group, inputs);
    const PagedSelectOutputs outputs = reference.select_paged(inputs);
    writer.tensor(group + "/selected_tokens", outputs.selected_tokens.view());
    writer.tensor(group + "/selected_blocks", outputs.selected_blocks->view());
  } else {
    const GeneratedSelect generated = generate_select(spec);
    const SelectInputs inputs = generated.inputs();
    write_select_inputs(writer, group, inputs);
    writer.tensor(group + "/blocks_reference", reference.select(inputs).blocks.view());
  }
  writer.commit();
}

}  // namespace plumbline

// Evidence of a run, as the gate and the reports read it. What is accepted says the same when it is written
// again.

#include "oracle/evidence/evidence.h"
#include "oracle/evidence/json_fields.h"
#include "tests/fuzz/fuzz.h"

using namespace plumbline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refuses<InputError>([&] {
    const Json written =
        to_json(evidence_from_json(parse_json(std::string(fuzz::text_of(data, size)), "f"), "f"));
    const std::string text = written.dump();
    fuzz::require(to_json(evidence_from_json(parse_json(text, "f"), "f")).dump() == text,
                  "read again, it is other evidence");
  });
  return 0;
}

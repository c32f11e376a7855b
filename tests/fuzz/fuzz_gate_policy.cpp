// The policy of the gate.

#include "oracle/evidence/json_fields.h"
#include "oracle/evidence/policy.h"
#include "tests/fuzz/fuzz.h"

using namespace plumbline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refuses<InputError>([&] {
    const Policy policy = policy_from_json(parse_json(std::string(fuzz::text_of(data, size)), "f"), "f");
    for (const Policy::KnownFailure& known : policy.known_failures)
      fuzz::require(is_date(known.until) && known.status != Status::pass, "a known failure without an end");
    for (const Policy::RequiredHit& hit : policy.hits)
      fuzz::require(hit.at_least >= 1, "a required hit that demands nothing");
  });
  return 0;
}

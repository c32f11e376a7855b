// The environment of the dispatch's policy, a line NAME=VALUE each, and what a route snapshot may name.

#include "gpu/dispatch/capability.h"
#include "gpu/dispatch/policy.h"
#include "gpu/dispatch/route.h"
#include "gpu/dispatch/snapshot.h"
#include "tests/fuzz/fuzz.h"

#include <stdexcept>

using namespace plumbline;
using namespace plumbline::dispatch;

namespace {

Environment environment_of(std::string_view text) {
  Environment environment;
  while (!text.empty()) {
    const std::size_t end = text.find('\n'), equals = text.substr(0, end).find('=');
    if (equals != std::string_view::npos)
      environment[std::string(text.substr(0, equals))] = text.substr(0, end).substr(equals + 1);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return environment;
}

void read_policy_of(std::string_view text) {
  const Environment environment = environment_of(text);
  const Policy policy({}, environment, true), again({}, environment, true), inactive({}, environment, false);
  fuzz::require(policy.hash() == again.hash(), "the same environment has two hashes");
  TypedPolicy typed;
  for (const PolicyFieldInfo& info : policy_fields()) {
    fuzz::require(inactive.value(info.field) == info.default_value,
                  "an inactive family reads its environment");
    if (fuzz::refuses<std::invalid_argument>([&] { typed[info.field] = policy.value(info.field); })) return;
    fuzz::require(!is_boolean(info.dialect) || typed[info.field] == 0 || typed[info.field] == 1,
                  "a boolean of another value");
  }
  fuzz::require(Policy(typed, {}, true).hash() == policy.hash(), "the same values typed have another hash");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  read_policy_of(text);
  fuzz::refuses<std::invalid_argument>([&] {
    const Route route = parse_route(text);
    fuzz::require(name_of(route) == text, "a route of another name");
  });
  fuzz::refuses<std::invalid_argument>([&] { parse_capability(text); });
  fuzz::refuses<std::invalid_argument>([&] {
    const Snapshot snapshot = snapshot_from_json(text, "f");
    fuzz::require(snapshot_from_json(to_json(snapshot), "f") == snapshot, "printed, it is another snapshot");
  });
  return 0;
}

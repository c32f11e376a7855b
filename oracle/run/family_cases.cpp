#include "oracle/run/family_cases.h"

#include "gpu/dispatch/read_back.h"

#include <utility>

#include <fmt/format.h>

namespace plumbline {

std::vector<FamilyCase> family_cases(std::uint64_t seed_shift) {
  std::vector<FamilyCase> cases;
  for (const DataFamily& family : data_families()) {
    cases.push_back({"generated/" + family.name, parse_case(family.default_case), family.gives_scores});
    if (!family.paged_case.empty()) cases.push_back({"paged/" + family.name, parse_case(family.paged_case)});
  }
  for (FamilyCase& one : cases) one.spec.seed += seed_shift;
  return cases;
}

std::vector<FamilyCase> wide_cases(std::uint64_t seed_shift) {
  std::vector<FamilyCase> cases;
  for (const auto& [name, blocks] : {std::pair{"read_back", dispatch::kReadBackColumns},
                                     std::pair{"from_lists", dispatch::kReadBackColumns + 1}}) {
    cases.push_back({fmt::format("wide/{}", name),
                     parse_case(fmt::format("select:rows=6,blocks={},data=relu", blocks)), false});
    cases.push_back({fmt::format("wide/{}_ties", name),
                     parse_case(fmt::format("select:rows=6,blocks={},data=ties", blocks)), false});
  }
  for (FamilyCase& one : cases) one.spec.seed += seed_shift;
  return cases;
}

}  // namespace plumbline

#include "oracle/run/family_cases.h"

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

}  // namespace plumbline

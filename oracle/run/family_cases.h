#pragma once

#include "fixtures/cases/case_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One case of a data family, as `verify` names it.
struct FamilyCase {
  std::string name;  ///< "generated/ties", or "paged/ties" for the same data through pages
  CaseSpec spec;
  bool gives_scores = false;  ///< it carries scores to select on
};

/// The default case of every data family and, where it has one, its paged case. `seed_shift` is added to
/// every data seed.
std::vector<FamilyCase> family_cases(std::uint64_t seed_shift);

}  // namespace plumbline

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

/// Few rows on both sides of where select.two_kernel stops to read its scores back
/// (gpu/dispatch/read_back.h): for a device's routes, the families are shorter.
std::vector<FamilyCase> wide_cases(std::uint64_t seed_shift);

}  // namespace plumbline

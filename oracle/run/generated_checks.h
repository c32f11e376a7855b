#pragma once

#include "fixtures/subject.h"
#include "oracle/run/check.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// One check per data family on its default case ("generated/ties") and, where it has one, on its paged case
/// ("paged/ties"): the subject's selection is proven canonical on independently computed exact scores and
/// judged with the contract `canonical`. `seed_shift` is added to every data seed.
std::vector<PlannedCheck> generated_checks(std::shared_ptr<SelectSubject> subject, std::uint64_t seed_shift,
                                           int threads);

}  // namespace plumbline

#pragma once

#include "fixtures/cases/case_spec.h"
#include "fixtures/cases/random.h"

namespace plumbline {

/// A case of the same family and kind as `base` with other sizes: around the number of winners, around powers
/// of two, few rows and many, other types, pages and parameters. `model_geometry`: the numbers of the model
/// (512 of 4-token blocks, 4 heads of 128), so that a kernel made for these alone is tried too. Not every
/// draw suits its family.
CaseSpec draw_case(const CaseSpec& base, bool model_geometry, Random random);

}  // namespace plumbline

#pragma once

#include "fixtures/cases/case_spec.h"
#include "fixtures/cases/generate.h"

#include <functional>

namespace plumbline {

/// Whether a case still fails in the same way. Cases it is asked about are valid.
using StillFails = std::function<bool(const GeneratedSelect&)>;
using SpecStillFails = std::function<bool(const CaseSpec&)>;
/// Whether there is time for another attempt.
using MoreTime = std::function<bool()>;

/// A case of fewer rows, blocks, winners, heads, dimensions, requests and tokens a page, down to where none
/// of these can be made smaller alone: a size is tried at its least, halved, and less one.
CaseSpec shrink_spec(CaseSpec spec, const SpecStillFails& still_fails, const MoreTime& more_time);

/// Inputs of fewer rows, blocks, winners (also with as many blocks), heads and dimensions, with simpler
/// scores where these are given alone: their dense ranks, then zeros. Runs of a half, a quarter, … of an axis
/// are left out in turn (delta debugging: Zeller and Hildebrandt, TSE 28(2), 2002).
GeneratedSelect shrink_data(GeneratedSelect data, const StillFails& still_fails, const MoreTime& more_time);

}  // namespace plumbline

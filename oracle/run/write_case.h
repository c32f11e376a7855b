#pragma once

#include "fixtures/cases/case_spec.h"

#include <string>

namespace plumbline {

/// Writes a generated case as a capture of kind B (select) or C (paged), with the reference's selection
/// recorded: blocks_reference, or selected_tokens and selected_blocks. Scores that the case gives are stored
/// as scores_input. Throws InputError.
void write_case(const CaseSpec& spec, const std::string& path);

}  // namespace plumbline

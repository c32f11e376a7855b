#pragma once

#include "fixtures/subject.h"
#include "oracle/judge/judge_reference.h"

namespace plumbline {

/// judge_reference for a paged selection: request by request on the keys gathered through its page table.
/// Blocks behind unmapped pages rank last, lower block first; they are proven apart and left out of what
/// judge_reference sees. A padded row must be all -1. `outputs` needs selected_blocks; throws InputError
/// where it has none.
ProofReport prove_paged(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs, int threads = 0);

}  // namespace plumbline

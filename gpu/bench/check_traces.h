#pragma once

#include "gpu/bench/report.h"

namespace plumbline::gpu::bench {

/// Whether the witnesses agree with calls that run as planned, and see each fault planted in one: another
/// route's kernel, another plan's nonce, a kernel without a tag, a foreign kernel, a product that is not
/// carried out or not to its end; and whether no tag gets lost from streams and graph replays.
void check_traces(Report& report);

/// What tags cost: interleaved pairs of the same call with and without, per route.
void time_tags(Report& report);

}  // namespace plumbline::gpu::bench

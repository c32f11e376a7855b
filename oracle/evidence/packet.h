#pragma once

#include "gpu/dispatch/snapshot.h"
#include "oracle/evidence/merge.h"

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline {

/// What a pull request that moves routes shows its reviewers.
struct PacketRequest {
  std::vector<NamedEvidence> runs;
  dispatch::Snapshot before, after;
  std::size_t limit = 60000;  ///< bytes; GitHub takes 65,536 of a description
};

/// GitHub Markdown: the path coverage table (one row per operation that is taken where it was not), routes
/// before → after, the reasons of the old rejections, benchmark arms, share of identical sets, and what only
/// the author can answer. Levels are those of the evidence: a capability that nobody ran on is static. What
/// does not fit is left out by whole rows, and counted. Throws InputError for a limit that not even the frame
/// fits into.
std::string packet_markdown(const PacketRequest& request);

}  // namespace plumbline

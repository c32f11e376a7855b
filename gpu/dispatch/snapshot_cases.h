#pragma once

#include "gpu/dispatch/batch.h"
#include "gpu/dispatch/capability.h"

#include <string>
#include <vector>

namespace plumbline::dispatch {

/// A batch of the snapshot's matrix. Ids are stable: a diff of two snapshots joins on them.
struct SnapshotCase {
  std::string id;
  Batch batch;
};

/// Both neighbours of every threshold the gates have: rows, score work, top-k, requests, padding, types,
/// heads, dims, columns, lengths, and the lengths of the published benchmark.
std::vector<SnapshotCase> snapshot_cases();

/// 7.0, 7.2, 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 12.0.
const std::vector<Capability>& snapshot_capabilities();

}  // namespace plumbline::dispatch

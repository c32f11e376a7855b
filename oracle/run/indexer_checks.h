#pragma once

#include "fixtures/indexer_subject.h"
#include "oracle/run/check.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

using MakeIndexer = std::function<std::shared_ptr<IndexerSubject>()>;

/// A subject's index projection, norms, RoPE and compression against the reference under hf_cuda's roundings,
/// element by element within the derived bounds; the store's bytes where nothing is computed: untouched
/// slots, the ring, one split of a sequence against another.
///
/// "cuda/indexer/golden/NAME": the recorded projections of every sparse layer of a model capture, call by
/// call, and the projection itself from its recorded input. "cuda/indexer/splits/…": any cut of some
/// sequences leaves the same bytes, padded rows of NaN between. "cuda/indexer/rollback/…": drafts of NaN, 1 …
/// 8 of them, any number accepted, at every place of a group, leave no trace. `device` stands in the repro
/// lines.
std::vector<PlannedCheck> indexer_checks(const MakeIndexer& subject, const std::string& device,
                                         const std::string& fixtures, std::uint64_t seed_shift);

}  // namespace plumbline

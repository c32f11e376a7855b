#pragma once

#include "oracle/report/run_report.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumbline {

using Json = nlohmann::ordered_json;

// The JSON reports, schema 1. Every other report (table, JUnit, Markdown) is made from this JSON alone. A
// judgement that cannot be made, and a number that does not exist, is null.

/// `plumbline verify`. Where a device took part: "device" (name, capability, witnesses) and "hits", what
/// proves of each route that it ran in a check that passed. check_proven reads both.
Json verify_json(const RunReport& run);

/// `plumbline select FILE`. `repro` holds one line per selection.
Json select_json(const std::string& file, const std::vector<JudgedSelection>& selections,
                 const std::vector<std::string>& repro);

/// The judgement of a model capture's indexer.
Json indexer_json(const IndexerReport& indexer);

/// What the witnesses saw of a subject's routes: calls, hits, misses.
Json routes_json(const RouteEvidence& routes, const std::string& witnesses);

/// The "machine" of a report.
Json machine_json(const Machine& machine);

/// Counts of the statuses of a report's checks (verify) or selections (select).
StatusCounts counts_of(const Json& report);

/// Pretty-printed, ending in a newline; bytes that are no UTF-8 are replaced.
std::string to_text(const Json& report);

}  // namespace plumbline

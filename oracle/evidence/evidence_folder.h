#pragma once

#include "oracle/evidence/evidence.h"

#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// Writes the folder of a run: evidence.json, each report as it was given ("report.json" and the like) and
/// the manifest. Throws InputError.
/// Without `keep_reports` evidence.json and the manifest alone, which is all that gate and packet read.
void write_evidence(const std::string& folder, const std::vector<std::pair<std::string, Json>>& reports,
                    bool keep_reports = true);

/// The run of a folder whose manifest holds. Throws InputError.
Evidence read_evidence(const std::string& folder);

/// The reports of a folder, by name.
std::vector<Json> read_evidence_reports(const std::string& folder);

}  // namespace plumbline

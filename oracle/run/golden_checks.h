#pragma once

#include "oracle/run/check.h"

#include <set>
#include <string>
#include <vector>

namespace plumbline {

/// The captures of this source tree, where they still are.
std::string default_fixtures();

/// Names of the captures (*.h5) of a folder. Throws InputError for a folder that cannot be read.
std::set<std::string> captures_in(const std::string& folder);

/// One check per capture of a folder, by name: first its SHA-256 against manifest.json, where there is one,
/// then its recorded selections (kinds B and C), its indexer (kind A) or its attention (kind D). A file the manifest does not know is
/// judged all the same; one it names that is missing is an ERROR. Then "replay/<name>" for each kind A
/// capture: its teacher-forced replay. Throws InputError for a folder that cannot be read or holds no
/// capture.
std::vector<PlannedCheck> golden_checks(const std::string& folder, int threads);

}  // namespace plumbline

#pragma once

#include "fixtures/indexer_subject.h"
#include "oracle/run/check.h"

#include <string>
#include <vector>

namespace plumbline {

/// The model captures of a folder; files that cannot be read are left to their own checks.
std::vector<std::string> indexer_captures(const std::string& folder);

/// Puts every sparse layer's recorded projections to the subject, call by call as the capture has them,
/// padding as padded rows; then all tokens one by one, which has to leave the same bytes. And the projection
/// from its recorded input. VACUOUS where the capture records none of it.
void check_indexer_golden(IndexerSubject& subject, const std::string& path, CheckResult& check);

}  // namespace plumbline

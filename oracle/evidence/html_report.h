#pragma once

#include "oracle/evidence/merge.h"
#include "oracle/report/report_json.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What a page tells of.
struct HtmlRequest {
  std::vector<NamedEvidence> runs;
  std::vector<Json> reports;  ///< of verify and the benchmarks, as far as the runs' folders hold them
  /// The gate's last line and whether it passed; without it the page says what the checks came to.
  struct Verdict {
    std::string line;
    bool passed = false;
    std::vector<std::string> problems = {};
  };
  std::optional<Verdict> verdict;
};

/// The runs and reports of folders of evidence. Throws InputError.
HtmlRequest read_html_request(const std::vector<std::string>& folders);

/// One self-contained HTML page: the verdict, routes × capabilities, and what the runs have of: how the
/// layers of a replay part, ULP distances, split-count curves, ties and margins at the cutoff, benchmark bars
/// beside floors. Without script, readable on a phone, in the dark, with the keyboard alone. A part nobody
/// has figures for is left out.
std::string html_report(const HtmlRequest& request);

}  // namespace plumbline

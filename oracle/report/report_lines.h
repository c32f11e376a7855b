#pragma once

#include "oracle/report/report_json.h"

#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// One line of a table: a judgement of a check. A check with several has its name and status on the first.
struct ReportLine {
  std::string check;     ///< empty on a continuation line
  std::string part;      ///< "gpu", "gpu selector"; what of the check is judged
  std::string rows;      ///< empty where nothing was judged
  std::string verdicts;  ///< "canonical 85, tie_only 11"
  std::string tied;      ///< rows tied at the cutoff
  std::string status;    ///< empty on a continuation line; "VACUOUS (declared)"
};
std::vector<ReportLine> lines_of(const Json& report);

/// One check (verify) or selection (select), flattened for the reports that list what went wrong.
struct ReportEntry {
  std::string name, kind, subject, source;
  std::string status;  ///< a status name
  bool declared = false;
  std::string reason, repro;
  double seconds = 0;
  std::vector<std::string> witnesses;  ///< one line each
};
std::vector<ReportEntry> entries_of(const Json& report);

/// One line per selection of a `select` report: how close to a tie its rows are, and which published buffers
/// their coarse bins overflow.
std::vector<std::string> census_lines(const Json& report);

/// The status fails the run (StatusCounts::exit_code).
bool fails(const ReportEntry& entry);

/// A status name in its colour for a terminal.
std::string painted(const std::string& status, bool color);

/// "g++ 12.2.0, 2 threads, …" of a report; empty where it names no machine.
std::string machine_line(const Json& report);

}  // namespace plumbline

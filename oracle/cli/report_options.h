#pragma once

#include "oracle/report/output_file.h"
#include "oracle/report/report_json.h"

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace plumbline {

/// Options of the commands that judge.
struct ReportOptions {
  std::string json, junit, markdown;  ///< files; "-" is standard output
  std::string filter;
  bool list = false;
  int threads = 0;

  void add_to(CLI::App& command);
  /// All but --filter and --list.
  void add_outputs_to(CLI::App& command);
};

/// Where a run's reports go. Constructed before the work, so that what cannot be written is said at once.
class Reporter {
 public:
  /// Throws InputError for a file that cannot be written and for two reports on standard output. Sets the
  /// number of threads for the whole program.
  explicit Reporter(const ReportOptions& options);

  /// Writes the reports and prints the table: on standard output, or on standard error when a report goes
  /// there.
  void finish(const Json& report) const;

 private:
  struct Target {
    bool standard_output = false;
    std::optional<OutputFile> file;
  };
  Target json_, junit_, markdown_;
  bool table_on_stderr_ = false;
};

}  // namespace plumbline

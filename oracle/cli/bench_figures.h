#pragma once

#include "oracle/report/output_file.h"
#include "oracle/report/report_json.h"

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace plumbline {

/// The figures of one benchmark: as JSON where they are asked for, else as text, with the machine above.
class BenchFigures {
 public:
  /// `json`: a file, "-" for standard output, or empty.
  explicit BenchFigures(const std::string& json);
  void tell(const char* command, Json figures, const std::string& text) const;

 private:
  bool standard_output_;
  std::optional<OutputFile> file_;
};

/// Adds `bench model`.
void add_bench_model(CLI::App& bench);
/// Adds `bench attention`.
void add_bench_attention(CLI::App& bench, int& exit_code);
/// Adds `bench split`.
void add_bench_split(CLI::App& bench);

}  // namespace plumbline

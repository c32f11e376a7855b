#include "oracle/cli/report_options.h"

#include "fixtures/error.h"
#include "oracle/cli/terminal.h"
#include "oracle/report/junit.h"
#include "oracle/report/markdown.h"
#include "oracle/report/text_report.h"

#include <cstdio>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {

void ReportOptions::add_to(CLI::App& command) {
  command.add_option("--filter", filter, "Only what this regular expression is found in (see --list)");
  command.add_flag("--list", list, "Say what would be judged, and stop");
  add_outputs_to(command);
}

void ReportOptions::add_outputs_to(CLI::App& command) {
  command.add_option("--json", json, "Write the report as JSON to this file (-: standard output)");
  command.add_option("--junit", junit, "Write the report as JUnit XML");
  command.add_option("--markdown", markdown, "Write the report as Markdown");
  command.add_option("--threads", threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
}

Reporter::Reporter(const ReportOptions& options) {
  if (options.threads > 0) omp_set_num_threads(options.threads);
  int on_stdout = 0;
  const auto open = [&](const std::string& path) {
    Target target;
    target.standard_output = path == "-";
    on_stdout += target.standard_output ? 1 : 0;
    if (!path.empty() && path != "-" && !options.list) target.file.emplace(path);
    return target;
  };
  json_ = open(options.json);
  junit_ = open(options.junit);
  markdown_ = open(options.markdown);
  if (on_stdout > 1) throw InputError("standard output takes one of --json, --junit and --markdown");
  table_on_stderr_ = on_stdout == 1;
}

void Reporter::finish(const Json& report) const {
  const auto write = [](const Target& target, const std::string& text) {
    if (target.file) target.file->write(text);
    if (target.standard_output) fmt::print("{}", text);
  };
  if (json_.file || json_.standard_output) write(json_, to_text(report));
  if (junit_.file || junit_.standard_output) write(junit_, junit_from_json(report));
  if (markdown_.file || markdown_.standard_output) write(markdown_, markdown_from_json(report));
  std::FILE* stream = table_on_stderr_ ? stderr : stdout;
  fmt::print(stream, "{}", text_report(report, wants_color(stream)));
}

}  // namespace plumbline

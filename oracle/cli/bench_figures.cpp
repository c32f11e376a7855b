#include "oracle/cli/bench_figures.h"

#include "oracle/report/machine.h"

#include <fmt/format.h>

namespace plumbline {

BenchFigures::BenchFigures(const std::string& json) : standard_output_(json == "-") {
  if (!json.empty() && !standard_output_) file_.emplace(json);
}

void BenchFigures::tell(const char* command, Json figures, const std::string& text) const {
  const Machine machine = this_machine();
  Json report = {{"schema", 1}, {"command", command}, {"machine", machine_json(machine)}};
  report.update(figures);
  if (file_) file_->write(to_text(report));
  if (standard_output_) return fmt::print("{}", to_text(report));
  fmt::print("{}, {} threads, {}, build {}\n{}", machine.cpu, machine.threads, machine.compiler,
             machine.build, text);
}

}  // namespace plumbline

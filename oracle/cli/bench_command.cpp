#include "oracle/bench/certified_product.h"
#include "oracle/cli/commands.h"
#include "oracle/report/machine.h"
#include "oracle/report/output_file.h"
#include "oracle/report/report_json.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct BenchCommand {
  std::string case_text = format_case(certified_product_case()), json;
  int repetitions = 5, threads = 0;

  void select() const {
    std::optional<OutputFile> file;
    if (!json.empty() && json != "-") file.emplace(json);
    CertifiedProductOptions options;
    options.repetitions = repetitions;
    options.threads = threads;
    const CertifiedProductResult result = bench_certified_product(parse_case(case_text), options);
    const Machine machine = this_machine();
    const Json report = {{"schema", 1},
                         {"command", "bench select"},
                         {"machine", machine_json(machine)},
                         {"case", case_text},
                         {"rows", result.rows},
                         {"blocks", result.blocks},
                         {"threads", result.threads},
                         {"repetitions", repetitions},
                         {"product_seconds", result.product_seconds},
                         {"product_isa", result.product_isa},
                         {"certified_seconds", result.certified_seconds},
                         {"certified_isa", result.isa},
                         {"ratio", result.ratio},
                         {"peak_extra_bytes", result.peak_extra_bytes},
                         {"resolved_exactly", result.resolved_exactly_total},
                         {"rows_verified", result.rows_verified},
                         {"verified", result.verified}};
    if (file) file->write(to_text(report));
    if (json == "-") return fmt::print("{}", to_text(report));
    fmt::print("{}, {} threads, {}, build {}\n{}\n", machine.cpu, result.threads, machine.compiler,
               machine.build, case_text);
    fmt::print("Eigen float32 product   {:8.3f} s  ({})\n", result.product_seconds, result.product_isa);
    fmt::print("certified selection     {:8.3f} s  ({})\n", result.certified_seconds, result.isa);
    fmt::print("ratio                   {:8.2f}    (medians of {}, in turns)\n", result.ratio, repetitions);
    fmt::print("memory beyond inputs    {:8.0f} MiB\n",
               static_cast<double>(result.peak_extra_bytes) / (1 << 20));
    fmt::print("blocks decided exactly  {:8}    of {}\n", result.resolved_exactly_total,
               result.rows * result.blocks);
    fmt::print("{} rows decided again with the filter off: {}\n", result.rows_verified,
               result.verified ? "the same" : "DIFFERENT");
  }
};

}  // namespace

void add_bench_command(CLI::App& app) {
  auto bench = std::make_shared<BenchCommand>();
  CLI::App* command = app.add_subcommand("bench", "Measure side by side on this machine");
  command->require_subcommand(1);
  CLI::App* select = command->add_subcommand(
      "select", "The certified selection beside a plain Eigen float32 matrix product of the same shape");
  select->add_option("--case", bench->case_text, "The case")->capture_default_str();
  select->add_option("--repetitions", bench->repetitions, "Runs of each; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  select->add_option("--threads", bench->threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  select->add_option("--json", bench->json, "Write the figures to this file (-: standard output)");
  select->callback([bench] { bench->select(); });
}

}  // namespace plumbline

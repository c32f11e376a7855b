#include "oracle/bench/capture_read.h"
#include "oracle/bench/certified_product.h"
#include "oracle/cli/bench_device.h"
#include "oracle/cli/bench_figures.h"
#include "oracle/cli/commands.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

struct BenchSelect {
  std::string case_text = format_case(certified_product_case()), json;
  int repetitions = 0, threads = 0;
  DeviceBench device;

  int run() const {
    if (!device.device.empty()) return device.run(json, repetitions);
    certified(repetitions > 0 ? repetitions : 5);
    return 0;
  }

 private:
  void certified(int runs) const {
    const BenchFigures figures(json);
    if (threads > 0) omp_set_num_threads(threads);
    CertifiedProductOptions options;
    options.repetitions = runs;
    options.threads = threads;
    const CertifiedProductResult result = bench_certified_product(parse_case(case_text), options);
    const Json json_figures = {{"case", case_text},
                               {"rows", result.rows},
                               {"blocks", result.blocks},
                               {"threads", result.threads},
                               {"repetitions", runs},
                               {"product_seconds", result.product_seconds},
                               {"product_isa", result.product_isa},
                               {"certified_seconds", result.certified_seconds},
                               {"certified_isa", result.isa},
                               {"ratio", result.ratio},
                               {"peak_extra_bytes", result.peak_extra_bytes},
                               {"resolved_exactly", result.resolved_exactly_total},
                               {"rows_verified", result.rows_verified},
                               {"verified", result.verified}};
    std::string text = case_text + "\n";
    text +=
        fmt::format("Eigen float32 product   {:8.3f} s  ({})\n", result.product_seconds, result.product_isa);
    text += fmt::format("certified selection     {:8.3f} s  ({})\n", result.certified_seconds, result.isa);
    text += fmt::format("ratio                   {:8.2f}    (medians of {}, in turns)\n", result.ratio, runs);
    text += fmt::format("memory beyond inputs    {:8.0f} MiB\n",
                        static_cast<double>(result.peak_extra_bytes) / (1 << 20));
    text += fmt::format("blocks decided exactly  {:8}    of {}\n", result.resolved_exactly_total,
                        result.rows * result.blocks);
    text += fmt::format("{} rows decided again with the filter off: {}\n", result.rows_verified,
                        result.verified ? "the same" : "DIFFERENT");
    figures.tell("bench select", json_figures, text);
    if (!result.verified) throw std::runtime_error("the filter changed a selection");
  }
};

struct BenchRead {
  std::string folder = std::filesystem::temp_directory_path().string(), json;
  std::int64_t mebibytes = 2048;

  void run() const {
    const BenchFigures figures(json);
    const CaptureReadTimes times = measure_capture_read(folder, mebibytes << 20);
    const double gibibytes = static_cast<double>(times.bytes) / (1 << 30);
    std::string text =
        fmt::format("contiguous capture of {:.2f} GiB, warm cache, medians of 5 in turns\n", gibibytes);
    text += fmt::format("plain HDF5 read         {:8.3f} s  {:.2f} GiB/s\n", times.plain_seconds,
                        gibibytes / times.plain_seconds);
    text += fmt::format("read and validated      {:8.3f} s  {:.2f} GiB/s\n", times.ours_seconds,
                        gibibytes / times.ours_seconds);
    text += fmt::format("share of the plain speed{:8.0f} %\n", 100 * times.ratio);
    figures.tell("bench read",
                 {{"bytes", times.bytes},
                  {"plain_seconds", times.plain_seconds},
                  {"ours_seconds", times.ours_seconds},
                  {"ratio", times.ratio}},
                 text);
  }
};

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("bench", "Measure side by side on this machine");
  command->require_subcommand(1);

  auto select = std::make_shared<BenchSelect>();
  CLI::App* select_command = command->add_subcommand("select",
                                                     "The certified selection beside a plain Eigen float32 "
                                                     "matrix product of the same shape; with --device the "
                                                     "seed's benchmark of the CUDA routes");
  select_command->add_option("--case", select->case_text, "The case")->capture_default_str();
  select_command
      ->add_option("--repetitions", select->repetitions,
                   "Runs of each; the median counts (default: 5, on a device 20)")
      ->check(CLI::Range(1, 1000));
  select_command->add_option("--threads", select->threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  select_command->add_option("--json", select->json, "Write the figures to this file (-: standard output)");
  select->device.add_to(*select_command);
  select_command->callback([select, &exit_code] { exit_code = select->run(); });

  auto read = std::make_shared<BenchRead>();
  CLI::App* read_command =
      command->add_subcommand("read", "Reading and checking a large capture beside a plain HDF5 read");
  read_command->add_option("--folder", read->folder, "Where the capture is written, and removed again")
      ->capture_default_str();
  read_command->add_option("--mebibytes", read->mebibytes, "Size of the capture")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  read_command->add_option("--json", read->json, "Write the figures to this file (-: standard output)");
  read_command->callback([read] { read->run(); });

  add_bench_model(*command);
  add_bench_attention(*command, exit_code);
  add_bench_split(*command);
}

}  // namespace plumbline

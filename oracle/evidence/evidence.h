#pragma once

#include "oracle/evidence/level.h"
#include "oracle/report/answers.h"
#include "oracle/report/report_json.h"
#include "oracle/report/shard.h"
#include "oracle/status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// What ran, on what.
struct EvidenceTool {
  std::string version, commit;  ///< the commit is empty where it is not known
  bool dirty = false;           ///< built from a tree that no commit describes
  std::string compiler, flags;
};
struct EvidenceRunner {
  std::string os, cpu, isa;
  std::int64_t threads = 1;
};
struct EvidenceDevice {
  std::string name, capability, driver, cuda_driver_api, cuda_runtime, cublas;
  std::string witnesses;  ///< of its launches; empty where nothing watched
};

/// Launches of a route that witnesses saw.
struct EvidenceHit {
  std::string route;
  std::int64_t tags = 0, records = 0;
  std::vector<std::string> symbols = {};  ///< of a whole run alone
};

/// One check of `verify`.
struct EvidenceCheck {
  std::string name, source, subject;
  std::string capability;  ///< "cpu", or the device's
  Status status = Status::error;
  bool expect_vacuous = false;
  std::string reason;
  std::int64_t rows = 0;      ///< whose selection, output or score was judged
  std::int64_t elements = 0;  ///< that had a bound of their own: of taps, outputs, scores, split results
  std::int64_t beyond = 0;    ///< of those, beyond it
  Answers answers;
  std::string arithmetic;  ///< the error model its scores were judged by: "tensor_core:9.0"
  std::vector<EvidenceHit> hits;
};

/// What is known of a path on a capability, and what it rests on.
struct EvidenceCell {
  std::string path;        ///< a route, "indexer", of what runs on the CPU "cpu.KIND", "plugin.NAME"
  std::string capability;  ///< "cpu", "7.5"
  Level level = Level::source;
  std::int64_t checks = 0, passed = 0;          ///< that name the path
  std::int64_t tags = 0, records = 0;           ///< in those that passed
  std::vector<std::string> captures;            ///< goldens among those that passed
  std::vector<std::uint64_t> seeds;             ///< data seeds of the generated cases among them
  std::vector<std::string> figures;             ///< names of the figures it was timed in
  std::map<std::string, std::int64_t> planned;  ///< gate set → cases of the matrix that take it
};

/// One time of a benchmark on the device.
struct EvidenceFigure {
  std::string arm, stage, route;
  std::int64_t blocks = 0;
  double median_ms = 0, min_ms = 0, max_ms = 0;
  /// "family7x whole at 7250 blocks"; of a stage that speaks of its own size, without blocks.
  std::string name() const;
};

/// One run, on one machine.
struct Evidence {
  EvidenceTool tool;
  std::string command, filter;
  std::uint64_t seed_shift = 0;
  Shard shard;
  EvidenceRunner runner;
  std::optional<EvidenceDevice> device;
  std::string static_basis;  ///< the build whose dispatch was asked for `planned`
  std::vector<EvidenceCheck> checks;
  std::vector<EvidenceHit> hits;  ///< of the checks that passed, with the kernels' symbols
  std::vector<EvidenceFigure> figures;
  std::string
      figures_commit;  ///< of the build that was timed; of another than the tool's they measure nothing here
  std::map<std::string, std::string> orders;  ///< black box that was probed → fingerprint of its summation
  std::map<std::string, double> identical_sets;  ///< benchmark → share of rows whose arms chose the same set
  std::vector<EvidenceCell> cells;

  std::string capability() const { return device ? device->capability : "cpu"; }
  StatusCounts counts() const;
};

/// What `reports` show: one of `verify --json`, and any of `bench select|attention --device --json`, whose
/// figures count where their own checks passed, of `plugin --json`, and of `probe --json`, which tells how
/// sums are ordered. Other benchmarks and `mutants --json`
/// are kept beside them and support no cell; the committed summaries of older runs are read as well. Throws
/// InputError.
Evidence evidence_of(const std::vector<std::pair<std::string, Json>>& reports);

/// The cells that checks and figures show, with what the dispatch of this build plans elsewhere.
std::vector<EvidenceCell> cells_of(const Evidence& evidence);

/// Schema 1, oracle/evidence/evidence.schema.json.
Json to_json(const Evidence& evidence);
/// Throws InputError; also where a cell claims more than the checks and figures of the file show.
Evidence evidence_from_json(const Json& json, const std::string& file);

}  // namespace plumbline

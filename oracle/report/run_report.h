#pragma once

#include "gpu/dispatch/reconcile.h"
#include "oracle/judge/judge_attention.h"
#include "oracle/judge/judge_indexer.h"
#include "oracle/judge/judge_reference.h"
#include "oracle/judge/judge_selection.h"
#include "oracle/judge/judge_tokens.h"
#include "oracle/replay/replay_report.h"
#include "oracle/report/answers.h"
#include "oracle/report/machine.h"
#include "oracle/report/shard.h"
#include "oracle/status.h"
#include "oracle/summation/rank_outcome.h"
#include "oracle/summation/split_trials.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// Where a check's inputs come from.
enum class CheckKind : std::uint8_t {
  golden,     ///< a capture of the golden folder
  generated,  ///< a case of a data family
  device,     ///< a subject that needs a device
  split,      ///< split reductions emulated on the CPU
};
std::string_view name_of(CheckKind kind);

/// One entry of the reports' "selections".
struct JudgedSelection : SelectionReport {
  JudgedSelection() = default;
  explicit JudgedSelection(SelectionReport report) : SelectionReport(std::move(report)) {}
  std::optional<TokenFaults> token_faults;  ///< of a kind C selection's tokens
  std::int64_t padded_rows = 0;             ///< of a kind C selection
};

/// What the witnesses of a check's calls saw of its routes.
struct RouteEvidence {
  std::int64_t calls = 0;  ///< reconciled with their plans
  std::vector<dispatch::RouteHit> hits;
  std::vector<std::string> misses;  ///< one line each, the first kMostMisses
  std::int64_t misses_left_out = 0;

  static constexpr std::size_t kMostMisses = 16;
  void add(const dispatch::Reconciliation& call);
  void add(const RouteEvidence& other);
};

/// One way to ask for the same rows again, and how the answers agreed.
struct VariationReport {
  std::string name;  ///< "alone", "batches", "graph_replay"
  std::int64_t calls = 0;
  std::int64_t rows = 0;                  ///< compared
  std::int64_t rows_selecting = 0;        ///< of those, with more blocks than they may select
  std::int64_t rows_changed = 0;          ///< another selection
  std::int64_t rows_rescored = 0;         ///< a score of other bits
  std::int64_t scores_beyond = 0;         ///< further apart than two error bounds
  double largest_share = 0;               ///< of what two error bounds allow, the largest used
  std::vector<std::string> kernels = {};  ///< "1 rows: gemv… instead of nvjet…": another product's symbol
  std::int64_t overlapping = 0;           ///< launches that began while one before them still ran
};

/// One check of a run: what was on trial, the judgement and how to repeat it.
struct CheckResult {
  std::string name;  ///< "golden/select_long_fp16", "replay/tiny_fp32", "cuda"; what --filter matches
  CheckKind kind = CheckKind::golden;
  std::string source;   ///< the file, or the case string
  std::string subject;  ///< "recorded", "reference", "cuda"
  Status status = Status::pass;
  bool expect_vacuous = false;  ///< the golden manifest declares that nothing can be tested here
  std::string reason;           ///< why it is not PASS; for a PASS what deserves a remark
  std::vector<JudgedSelection> selections;
  std::optional<ProofReport> proof;             ///< of a generated case
  std::optional<IndexerReport> indexer;         ///< of a model capture
  std::optional<ReplayReport> replay;           ///< of a model capture
  std::optional<SplitTrials> split;             ///< of a split reduction
  std::vector<AttentionReport> attention = {};  ///< of attention cases
  std::vector<RankOutcome> ranks = {};          ///< of a captured layer on several ranks
  std::optional<RouteEvidence> routes;          ///< of a device's route
  std::vector<VariationReport> variations;
  Answers answers;
  std::string repro;  ///< command line, then # and what it stands for
  double seconds = 0;
};

/// What a run was asked for.
struct RunRequest {
  std::string filter;
  std::uint64_t seed_shift = 0;
  Shard shard;
};

/// A whole run of `plumbline verify`.
struct RunReport {
  Machine machine;
  std::string capability;  ///< of the device, "9.0"; empty where there is none
  std::string witnesses;   ///< of its routes; empty where nothing watches
  std::string driver;      ///< of the device, "580.159.04"; empty where it is not known
  RunRequest request;
  std::vector<CheckResult> checks;

  StatusCounts counts() const;
};

/// "verified: 43 PASS, 1 VACUOUS (declared)", "NOT VERIFIED: …", "NOTHING EXECUTED: …" by the exit code.
std::string verdict_line(const StatusCounts& counts);

}  // namespace plumbline

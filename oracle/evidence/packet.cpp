#include "oracle/evidence/packet.h"

#include "fixtures/error.h"
#include "gpu/dispatch/snapshot_cases.h"
#include "oracle/evidence/coverage.h"
#include "oracle/evidence/route_changes.h"
#include "oracle/report/markdown.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline {
namespace {

// A table or list that may lose its last rows.
struct Section {
  std::string head;
  std::vector<std::string> rows;
  std::string tail = {};
};

std::string range_text(std::int64_t low, std::int64_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
}

class Conditions {
 public:
  explicit Conditions(const std::vector<std::string>& ids) {
    const std::set<std::string> wanted(ids.begin(), ids.end());
    for (const dispatch::SnapshotCase& one : dispatch::snapshot_cases())
      if (wanted.contains(one.id)) add(one.batch);
  }
  std::string formats() const { return fmt::format("index cache {}", fmt::join(formats_, ", ")); }
  std::string text() const {
    if (none_) return "-";
    return fmt::format("rows {}; requests {}; top-k {}", range_text(rows_[0], rows_[1]),
                       range_text(requests_[0], requests_[1]), range_text(topk_[0], topk_[1]));
  }

 private:
  void add(const dispatch::Batch& batch) {
    formats_.insert(std::string(dispatch::name_of(batch.key_cache.type)));
    widen(rows_, batch.rows());
    widen(requests_, batch.requests());
    widen(topk_, batch.block_topk);
    none_ = false;
  }
  void widen(std::int64_t (&range)[2], std::int64_t value) const {
    range[0] = none_ ? value : std::min(range[0], value);
    range[1] = none_ ? value : std::max(range[1], value);
  }

  std::set<std::string> formats_;
  std::int64_t rows_[2] = {0, 0}, requests_[2] = {0, 0}, topk_[2] = {0, 0};
  bool none_ = true;
};

class Packet {
 public:
  explicit Packet(const PacketRequest& request)
      : request_(request),
        cells_(merge_cells(request.runs)),
        changes_(route_changes(request.before, request.after)),
        taken_(taken_operations(changes_, request.before)) {}

  std::string write() const {
    std::vector<Section> sections = {coverage(), routes(), rejections(), arms(), sets(), contract()};
    std::vector<std::size_t> kept;
    for (const Section& section : sections) kept.push_back(section.rows.size());
    // The longest list loses its last row until all fits.
    while (true) {
      const std::string text = assemble(sections, kept);
      if (text.size() <= request_.limit) return text;
      const auto longest = std::ranges::max_element(kept);
      if (*longest == 0)
        throw InputError(
            fmt::format("--limit: expected at least {} bytes, found {}", text.size(), request_.limit));
      --*longest;
    }
  }

 private:
  static std::string assemble(const std::vector<Section>& sections, const std::vector<std::size_t>& kept) {
    std::string text;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const Section& section = sections[i];
      text += section.head;
      for (std::size_t row = 0; row < kept[i]; ++row) text += section.rows[row];
      if (kept[i] < section.rows.size())
        text += fmt::format("\n{} more rows are left out here.\n", section.rows.size() - kept[i]);
      text += section.tail;
    }
    return text;
  }

  const EvidenceCell* cell(const std::string& path, const std::string& capability) const {
    const auto at = std::ranges::find_if(
        cells_, [&](const EvidenceCell& one) { return one.path == path && one.capability == capability; });
    return at == cells_.end() ? nullptr : &*at;
  }

  static bool ran(const EvidenceCell& cell) { return cell.level >= Level::executed; }

  std::string evidence_of(const TakenOperation& one) const {
    std::string text;
    std::vector<std::string> planned;
    for (const auto& [capability, cases] : one.cases) {
      const EvidenceCell* known = cell(one.operation, capability);
      if (known == nullptr || !ran(*known))
        planned.push_back(fmt::format("{} ({} cases)", capability, cases));
    }
    if (!planned.empty()) text += fmt::format("static: {}", fmt::join(planned, ", "));
    for (const EvidenceCell& known : cells_) {
      if (known.path != one.operation || !ran(known)) continue;
      text += fmt::format("{}{}: {} ({} of {} checks, {} launches tagged{})", text.empty() ? "" : "; ",
                          name_of(known.level), known.capability, known.passed, known.checks, known.tags,
                          one.cases.contains(known.capability) ? "" : ", route forced");
    }
    return text;
  }

  std::string unverified(const TakenOperation& one) const {
    std::vector<std::string> never;
    for (const auto& [capability, cases] : one.cases) {
      const EvidenceCell* known = cell(one.operation, capability);
      if (known == nullptr || !ran(*known)) never.push_back(capability);
    }
    const std::string devices =
        never.empty() ? "-" : fmt::format("no run on {}: prediction alone", fmt::join(never, ", "));
    return devices + "; TP/EP and the serving engine are not part of the plan";
  }

  Section coverage() const {
    Section section;
    section.head = fmt::format(
        "## Path coverage\n\nRoutes `{}` → `{}`. Static is a prediction: no kernel ran.\n\n"
        "| Path / provider | Format | Key conditions | Expected selection / fallback | Evidence | Unverified "
        "scope |\n"
        "|---|---|---|---|---|---|\n",
        request_.before.gates, request_.after.gates);
    for (const TakenOperation& one : taken_) {
      const Conditions conditions(one.ids);
      std::vector<std::string> capabilities;
      for (const auto& [capability, cases] : one.cases) capabilities.push_back(capability);
      section.rows.push_back(fmt::format("| `{}` | {} | capability {}; {} | `{}`, else `{}` | {} | {} |\n",
                                         one.operation, conditions.formats(), fmt::join(capabilities, ", "),
                                         conditions.text(), one.operation, fmt::join(one.instead_of, "`, `"),
                                         evidence_of(one), unverified(one)));
    }
    if (taken_.empty())
      section.head += "| N/A | - | no case of the matrix takes another route | - | - | - |\n";
    return section;
  }

  Section routes() const {
    Section section;
    section.head =
        "\n### Routes before → after\n\n| Stage | Before | After | Cases per capability | For example |\n"
        "|---|---|---|---|---|\n";
    for (const RouteChange& change : changes_) {
      std::vector<std::string> cases;
      for (const auto& [capability, count] : change.cases)
        cases.push_back(fmt::format("{}: {}", capability, count));
      section.rows.push_back(fmt::format("| {} | `{}` | `{}` | {} | `{}` |\n", change.stage, change.before,
                                         change.after, fmt::join(cases, ", "), change.ids.front()));
    }
    section.tail = fmt::format("\n{} rows of the matrix before, {} after.\n", request_.before.rows.size(),
                               request_.after.rows.size());
    return section;
  }

  Section rejections() const {
    Section section;
    section.head = "\n### Why they were rejected before\n\n";
    for (const TakenOperation& one : taken_)
      for (const std::string& line : one.rejected)
        section.rows.push_back(fmt::format("- `{}`: {}\n", one.operation, escaped_markdown(line)));
    if (section.rows.empty()) section.head += "No route that is taken now was rejected.\n";
    return section;
  }

  Section arms() const {
    Section section;
    section.head =
        "\n### Benchmark\n\n| Device | Blocks | Arm | Stage | Route | Median ms (min–max) "
        "|\n|---|--:|---|---|---|---|\n";
    for (const NamedEvidence& run : request_.runs) {
      const Evidence& evidence = run.evidence;
      if (!evidence.device || evidence.figures.empty()) continue;
      for (const EvidenceFigure& figure : evidence.figures) {
        if (figure.stage != "whole" && figure.stage != "whole, in a graph") continue;
        section.rows.push_back(fmt::format("| {} {} | {} | {} | {} | `{}` | {:.4f} ({:.4f}–{:.4f}) |\n",
                                           escaped_markdown(evidence.device->name),
                                           evidence.device->capability, figure.blocks,
                                           escaped_markdown(figure.arm), figure.stage, figure.route,
                                           figure.median_ms, figure.min_ms, figure.max_ms));
      }
      if (evidence.figures_commit != evidence.tool.commit)
        section.tail += fmt::format(
            "\nThese were timed at commit `{}`, the checks ran at `{}`: they support no cell as measured.\n",
            evidence.figures_commit.empty() ? "unknown" : evidence.figures_commit, evidence.tool.commit);
    }
    if (section.rows.empty()) section.head += "| - | - | nothing was timed | - | - | - |\n";
    return section;
  }

  // Down, so that 1 means every row.
  static double floor_percent(double share) { return std::floor(share * 1e5) / 1e3; }

  Section sets() const {
    Section section;
    section.head = "\n### Share of rows whose arms selected the same set\n\n";
    for (const NamedEvidence& run : request_.runs)
      for (const auto& [what, share] : run.evidence.identical_sets)
        section.rows.push_back(
            fmt::format("- {}, {}: {:.3f} %\n", escaped_markdown(run.name), what, floor_percent(share)));
    if (section.rows.empty()) section.head += "Not measured.\n";
    return section;
  }

  Section contract() const {
    Section section;
    section.head = "\n### Runs\n\n";
    for (const NamedEvidence& run : request_.runs) {
      const Evidence& evidence = run.evidence;
      const StatusCounts counts = evidence.counts();
      std::string line = fmt::format(
          "- {}: commit `{}`{}, {}", escaped_markdown(run.name), evidence.tool.commit,
          evidence.tool.dirty ? " with uncommitted changes" : "", escaped_markdown(evidence.runner.cpu));
      if (evidence.device)
        line += fmt::format(", {} (capability {}, driver {}, CUDA {}, cuBLAS {}, witnesses: {})",
                            escaped_markdown(evidence.device->name), evidence.device->capability,
                            evidence.device->driver, evidence.device->cuda_runtime, evidence.device->cublas,
                            evidence.device->witnesses.empty() ? "none" : evidence.device->witnesses);
      section.rows.push_back(
          fmt::format("{}: {} PASS, {} FAIL, {} ROUTE_MISSED, {} ERROR, {} UNSUPPORTED, {} NOT_EXECUTED\n",
                      line, counts.pass, counts.fail, counts.route_missed, counts.error, counts.unsupported,
                      counts.not_executed));
    }
    std::int64_t changed = 0;
    for (const RouteChange& change : changes_)
      for (const auto& [capability, cases] : change.cases) changed += cases;
    section.tail = fmt::format(
        "- Route snapshot: `plumbline routes snapshot --gates {}`, `--gates {}`; {} stages of rows change\n"
        "- For the author to answer: default or opt-in, environment switches, KV cache type and output "
        "quality of "
        "the serving engine, wheel and overlays\n",
        request_.before.gates, request_.after.gates, changed);
    return section;
  }

  const PacketRequest& request_;
  std::vector<EvidenceCell> cells_;
  std::vector<RouteChange> changes_;
  std::vector<TakenOperation> taken_;
};

}  // namespace

std::string packet_markdown(const PacketRequest& request) { return Packet(request).write(); }

}  // namespace plumbline

#include "oracle/evidence/gate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace plumbline {
namespace {

using Kind = GateProblem::Kind;

bool fails(const EvidenceCheck& check) {
  StatusCounts counts;
  counts.add(check.status, check.expect_vacuous);
  return counts.exit_code() == 1;
}

// The first whose arm, stage and blocks these are.
std::optional<double> time_of(const std::vector<NamedEvidence>& runs, const Policy::Ratio& rule,
                              const std::string& arm) {
  for (const NamedEvidence& run : runs) {
    const Evidence& evidence = run.evidence;
    if (evidence.capability() != rule.capability || evidence.figures_commit != evidence.tool.commit) continue;
    for (const EvidenceFigure& figure : evidence.figures)
      if (figure.arm == arm && figure.stage == rule.stage && figure.blocks == rule.blocks &&
          figure.median_ms > 0)
        return figure.median_ms;
  }
  return std::nullopt;
}

// Both times are one run's.
std::vector<double> ratios_of(const std::vector<NamedEvidence>& runs, const Policy::Ratio& rule) {
  std::vector<double> ratios;
  for (const NamedEvidence& run : runs) {
    const std::optional<double> time = time_of({run}, rule, rule.arm), over = time_of({run}, rule, rule.over);
    if (time && over) ratios.push_back(*time / *over);
  }
  return ratios;
}

class Gate {
 public:
  Gate(const Policy& policy, const GateOptions& options) : policy_(policy), options_(options) {}

  GateVerdict judge(const std::vector<NamedEvidence>& runs, const std::vector<NamedEvidence>& baseline) {
    for (const NamedEvidence& run : runs) take(run);
    for (const NamedEvidence& run : taken_) judge_checks(run);
    judge_known_failures();
    judge_shards();
    verdict_.cells = merge_cells(taken_);
    judge_levels();
    judge_hits();
    for (const Policy::Ratio& rule : policy_.ratios) judge_ratio(rule, baseline);
    judge_differences();
    if (policy_.demands_nothing())
      problem(Kind::nothing, "the policy demands no level and no hit",
              "write down what must be executed where");
    return std::move(verdict_);
  }

 private:
  void problem(Kind kind, std::string what, std::string next) {
    verdict_.problems.push_back({kind, std::move(what), std::move(next)});
  }

  void take(const NamedEvidence& run) {
    const Evidence& evidence = run.evidence;
    const StatusCounts counts = evidence.counts();
    verdict_.runs.push_back(fmt::format(
        "{}: {}{}, {} PASS of {} checks, commit {}{}", run.name,
        evidence.device ? evidence.device->name + ", capability " + evidence.device->capability
                        : evidence.runner.cpu,
        evidence.shard.of > 1 ? fmt::format(", part {} of {}", evidence.shard.index, evidence.shard.of) : "",
        counts.pass, evidence.checks.size(), evidence.tool.commit.empty() ? "unknown" : evidence.tool.commit,
        evidence.tool.dirty ? " (changed)" : ""));
    // Twelve digits at most are kept on either side.
    const std::size_t digits = std::min(options_.commit.size(), evidence.tool.commit.size());
    const bool same = digits >= 7 &&
                      options_.commit.compare(0, digits, evidence.tool.commit, 0, digits) == 0 &&
                      !evidence.tool.dirty;
    if (!same) {
      const std::string commit =
          evidence.tool.commit.empty() ? "an unknown commit" : "commit " + evidence.tool.commit;
      return problem(
          Kind::stale,
          fmt::format("{} is of {}{}, not of {}", run.name, commit,
                      evidence.tool.dirty ? " with changes nobody committed" : "", options_.commit),
          "run verify --evidence again on a clean build of that commit");
    }
    if (counts.exit_code() == 3)
      problem(Kind::nothing, fmt::format("{} executed nothing", run.name),
              "give the run something to execute, or leave it out");
    const auto same_run = [&](const NamedEvidence& one) {
      return to_json(one.evidence) == to_json(evidence);
    };
    if (const auto known = std::ranges::find_if(taken_, same_run); known != taken_.end())
      return problem(Kind::stale, fmt::format("{} is {} once more", run.name, known->name),
                     "give every run once");
    taken_.push_back(run);
  }

  void judge_checks(const NamedEvidence& run) {
    for (const EvidenceCheck& check : run.evidence.checks) {
      verdict_.counts.add(check.status, check.expect_vacuous);
      seen_.insert({check.name, check.capability, check.status});
      if (!fails(check)) continue;
      const std::string what =
          fmt::format("{} on {}: {}: {}", check.name, check.capability, name_of(check.status), check.reason);
      if (const Policy::KnownFailure* known = known_failure(check)) {
        verdict_.known.push_back(fmt::format("{} (until {}: {})", what, known->until, known->reason));
      } else {
        problem(Kind::failed, what, fmt::format("repeat it: plumbline verify --filter '^{}$'", check.name));
      }
    }
  }

  const Policy::KnownFailure* known_failure(const EvidenceCheck& check) const {
    for (const Policy::KnownFailure& known : policy_.known_failures)
      if (known.check == check.name && known.capability == check.capability && known.status == check.status &&
          options_.today <= known.until)
        return &known;
    return nullptr;
  }

  void judge_known_failures() {
    for (const Policy::KnownFailure& known : policy_.known_failures) {
      if (options_.today > known.until)
        problem(Kind::stale,
                fmt::format("the policy's known failure {} on {} expired on {}", known.check,
                            known.capability, known.until),
                "repair it and strike the entry, or argue for another day");
      else if (seen_.contains({known.check, known.capability, Status::pass}) &&
               !seen_.contains({known.check, known.capability, known.status}))
        problem(Kind::stale,
                fmt::format("the policy's known failure {} on {} passes", known.check, known.capability),
                "strike the entry");
    }
  }

  void judge_shards() {
    using Key = std::tuple<std::string, std::string, std::uint64_t, int>;
    std::map<Key, std::set<int>> parts;
    for (const NamedEvidence& run : taken_) {
      const Evidence& one = run.evidence;
      parts[{one.capability(), one.filter, one.seed_shift, one.shard.of}].insert(one.shard.index);
    }
    for (const auto& [key, found] : parts)
      for (int index = 1; index <= std::get<int>(key); ++index)
        if (!found.contains(index))
          return problem(
              Kind::missing,
              fmt::format("part {} of {} on {} is not there", index, std::get<int>(key), std::get<0>(key)),
              fmt::format("run it: plumbline verify --shard {}/{} --evidence DIR", index,
                          std::get<int>(key)));
  }

  const EvidenceCell* cell(const std::string& path, const std::string& capability) const {
    const auto at = std::ranges::find_if(verdict_.cells, [&](const EvidenceCell& one) {
      return one.path == path && one.capability == capability;
    });
    return at == verdict_.cells.end() ? nullptr : &*at;
  }

  void judge_levels() {
    for (const Policy::RequiredLevel& rule : policy_.levels) {
      const EvidenceCell* found = cell(rule.path, rule.capability);
      if (found != nullptr && found->level >= rule.level) continue;
      problem(Kind::missing,
              fmt::format("{} on {} is {}, must be {}", rule.path, rule.capability,
                          found == nullptr ? "not known" : name_of(found->level), name_of(rule.level)),
              rule.level == Level::measured
                  ? "add bench select --device --json of that device to its evidence"
                  : "add the evidence of a run on that device");
    }
  }

  void judge_hits() {
    for (const Policy::RequiredHit& rule : policy_.hits) {
      const EvidenceCell* found = cell(rule.route, rule.capability);
      // The two witnesses see the same launches, the profiler those of libraries too.
      const std::int64_t seen = found == nullptr ? 0 : std::max(found->tags, found->records);
      if (seen < rule.at_least)
        problem(Kind::missing,
                fmt::format("{} on {} was hit {} times, must be {}", rule.route, rule.capability, seen,
                            rule.at_least),
                fmt::format("see why it is not taken: plumbline routes explain CASE --capability {}",
                            rule.capability));
    }
  }

  void judge_ratio(const Policy::Ratio& rule, const std::vector<NamedEvidence>& baseline) {
    const std::string name = fmt::format("{} over {}, {} at {} blocks on {}", rule.arm, rule.over, rule.stage,
                                         rule.blocks, rule.capability);
    const std::vector<double> found = ratios_of(taken_, rule), known = ratios_of(baseline, rule);
    std::optional<double> now, before;  // the worst of now beside the best of before
    if (!found.empty()) now = std::ranges::max(found);
    if (!known.empty()) before = std::ranges::min(known);
    const char* measure = "run bench select --device cuda:0 --json there and pack it with the report";
    if (!now) return problem(Kind::missing, name + ": not measured at this commit", measure);
    verdict_.ratios.push_back(fmt::format(
        "{}: {:.3f}{}{}", name, *now,
        before ? fmt::format(", before {:.3f} (noise {} %)", *before, rule.noise_percent) : ", no baseline",
        rule.at_most ? fmt::format(", at most {:.3f}", *rule.at_most) : ""));
    if (rule.at_most && *now > *rule.at_most)
      problem(Kind::slower, fmt::format("{}: {:.3f}, at most {:.3f}", name, *now, *rule.at_most),
              "measure again; if it stays, find the stage that lost");
    if (before && *now > *before * (1 + rule.noise_percent / 100))
      problem(Kind::slower,
              fmt::format("{}: {:.3f}, before {:.3f}, more than {} % of noise", name, *now, *before,
                          rule.noise_percent),
              "measure again; if it stays, find the stage that lost");
    if (!before && !rule.at_most)
      problem(Kind::missing, name + ": no baseline to hold it against",
              "give --baseline, or at_most in the policy");
  }

  void judge_differences() {
    verdict_.differences = differences_of(taken_);
    for (const Difference& one : verdict_.differences)
      if (one.contradiction)
        problem(Kind::contradiction,
                fmt::format("{}: other {} on {} than on {}{}{}", one.check, one.what, one.first, one.second,
                            one.detail.empty() ? "" : ": ", one.detail),
                "the same arithmetic must give the same bits: repeat the check on both");
  }

  const Policy& policy_;
  const GateOptions& options_;
  std::vector<NamedEvidence> taken_;
  std::set<std::tuple<std::string, std::string, Status>> seen_;
  GateVerdict verdict_;
};

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::stale:
      return "STALE";
    case Kind::failed:
      return "FAILED";
    case Kind::missing:
      return "MISSING";
    case Kind::contradiction:
      return "CONTRADICTION";
    case Kind::slower:
      return "SLOWER";
    case Kind::nothing:
      return "NOTHING";
  }
  return "?";
}

int GateVerdict::exit_code() const {
  if (counts.pass == 0 && counts.fail + counts.route_missed + counts.vacuous + counts.error == 0) return 3;
  return problems.empty() ? 0 : 1;
}

GateVerdict judge_gate(const std::vector<NamedEvidence>& runs, const std::vector<NamedEvidence>& baseline,
                       const Policy& policy, const GateOptions& options) {
  return Gate(policy, options).judge(runs, baseline);
}

}  // namespace plumbline

#include "oracle/evidence/merge.h"

#include "oracle/evidence/cells.h"
#include "reference/numeric/ulp.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace plumbline {
namespace {

template <class T>
void unite(std::vector<T>& all, const std::vector<T>& more) {
  std::vector<T> both;
  std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both));
  all = std::move(both);
}

std::string machine_of(const NamedEvidence& run) {
  const Evidence& evidence = run.evidence;
  return fmt::format(
      "{} ({})", run.name,
      evidence.device ? evidence.device->name + " " + evidence.device->capability : evidence.runner.cpu);
}

std::string symbols_of(const Evidence& evidence, const EvidenceCheck& check) {
  for (const EvidenceHit& hit : check.hits)
    for (const EvidenceHit& all : evidence.hits)
      if (all.route == hit.route && !all.symbols.empty()) return all.symbols.front();
  return "";
}

// Of the scorer that the check hit, where it was probed.
std::string order_of(const Evidence& evidence, const EvidenceCheck& check) {
  for (const EvidenceHit& hit : check.hits)
    for (const auto& [box, fingerprint] : evidence.orders)
      if (box.find(hit.route) != std::string::npos) return "order " + fingerprint;
  return "";
}

class Comparison {
 public:
  Comparison(const NamedEvidence& first, const NamedEvidence& second) : first_(first), second_(second) {}

  void compare(const EvidenceCheck& a, const EvidenceCheck& b, std::vector<Difference>& all) const {
    // Generated cases are theirs by their text; a capture is another where its digest is.
    if (a.source != b.source || a.answers.inputs.empty() || b.answers.inputs.empty()) return;
    if (a.answers.inputs != b.answers.inputs) return all.push_back(make(a, b, "inputs", true));
    // What ran on the CPU has the same bits everywhere, whatever device stands beside it.
    const bool same_arithmetic =
        a.capability == b.capability && (a.capability == "cpu" || cublas(first_) == cublas(second_));
    const auto differ = [](const std::string& one, const std::string& other) {
      return !one.empty() && !other.empty() && one != other;
    };
    if (differ(a.answers.selection, b.answers.selection))
      all.push_back(make(a, b, "selection", same_arithmetic));
    if (differ(a.answers.scores, b.answers.scores)) all.push_back(make(a, b, "scores", same_arithmetic));
  }

 private:
  static std::string cublas(const NamedEvidence& run) {
    return run.evidence.device ? run.evidence.device->cublas : "";
  }

  Difference make(const EvidenceCheck& a, const EvidenceCheck& b, const char* what,
                  bool contradiction) const {
    Difference difference{a.name, what, machine_of(first_), machine_of(second_), "", contradiction};
    const auto &mine = a.answers.score_sample, &theirs = b.answers.score_sample;
    if (mine.size() == theirs.size() && !mine.empty()) {
      std::int64_t most = 0;
      bool nan = false;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const std::int64_t ulp = ulp_distance(DType::float32, mine[i], theirs[i]);
        nan |= ulp == kUlpNaN;
        if (ulp != kUlpNaN) most = std::max(most, ulp);
      }
      difference.detail =
          fmt::format("up to {} ULP{} in {} sampled scores", most, nan ? ", and a NaN" : "", mine.size());
    }
    const auto add = [&](const std::string& one, const std::string& other) {
      if (one != other)
        difference.detail += fmt::format("{}{} and {}", difference.detail.empty() ? "" : "; ",
                                         one.empty() ? "none" : one, other.empty() ? "none" : other);
    };
    add(a.arithmetic, b.arithmetic);
    add(order_of(first_.evidence, a), order_of(second_.evidence, b));
    add(symbols_of(first_.evidence, a), symbols_of(second_.evidence, b));
    return difference;
  }

  const NamedEvidence &first_, &second_;
};

}  // namespace

std::vector<EvidenceCell> merge_cells(const std::vector<NamedEvidence>& runs) {
  std::map<std::pair<std::string, std::string>, EvidenceCell> merged;
  for (const NamedEvidence& run : runs) {
    for (const EvidenceCell& cell : run.evidence.cells) {
      const auto [at, added] = merged.emplace(std::pair{cell.path, cell.capability}, cell);
      if (added) continue;
      EvidenceCell& all = at->second;
      all.level = std::max(all.level, cell.level);
      all.checks += cell.checks;
      all.passed += cell.passed;
      all.tags += cell.tags;
      all.records += cell.records;
      unite(all.captures, cell.captures);
      unite(all.seeds, cell.seeds);
      unite(all.figures, cell.figures);
      for (const auto& [gates, cases] : cell.planned)
        all.planned[gates] = std::max(all.planned[gates], cases);
    }
  }
  std::vector<EvidenceCell> cells;
  for (auto& [key, cell] : merged) cells.push_back(std::move(cell));
  return cells;
}

std::vector<Difference> differences_of(const std::vector<NamedEvidence>& runs) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::map<std::string, const EvidenceCheck*> mine;
    for (const EvidenceCheck& check : runs[i].evidence.checks) mine[check.name] = &check;
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      const Comparison comparison(runs[i], runs[j]);
      for (const EvidenceCheck& check : runs[j].evidence.checks)
        if (const auto found = mine.find(check.name); found != mine.end())
          comparison.compare(*found->second, check, all);
    }
  }
  return all;
}

}  // namespace plumbline

#include "oracle/report/run_report.h"

#include <algorithm>

namespace plumbline {
namespace {

void merge(std::vector<dispatch::SymbolHit>& all, const dispatch::SymbolHit& one) {
  const auto at = std::lower_bound(
      all.begin(), all.end(), one,
      [](const dispatch::SymbolHit& a, const dispatch::SymbolHit& b) { return a.symbol < b.symbol; });
  if (at == all.end() || at->symbol != one.symbol) {
    all.insert(at, one);
    return;
  }
  at->launches += one.launches;
  at->microseconds += one.microseconds;
}

void merge(std::vector<dispatch::RouteHit>& all, const dispatch::RouteHit& one) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const dispatch::RouteHit& hit) { return hit.route == one.route; });
  if (at == all.end()) {
    all.push_back(one);
    return;
  }
  at->tags += one.tags;
  at->records += one.records;
  for (const dispatch::SymbolHit& symbol : one.symbols) merge(at->symbols, symbol);
}

void append(RouteEvidence& evidence, const std::vector<std::string>& misses) {
  for (const std::string& miss : misses) {
    if (evidence.misses.size() < RouteEvidence::kMostMisses) {
      evidence.misses.push_back(miss);
    } else {
      ++evidence.misses_left_out;
    }
  }
}

}  // namespace

void RouteEvidence::add(const dispatch::Reconciliation& call) {
  ++calls;
  for (const dispatch::RouteHit& hit : call.hits) merge(hits, hit);
  append(*this, call.misses);
}

void RouteEvidence::add(const RouteEvidence& other) {
  calls += other.calls;
  for (const dispatch::RouteHit& hit : other.hits) merge(hits, hit);
  append(*this, other.misses);
  misses_left_out += other.misses_left_out;
}

}  // namespace plumbline

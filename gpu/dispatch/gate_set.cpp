#include "gpu/dispatch/gate_set.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumbline::dispatch {
namespace {

struct ProvenText {
  const char* route;
  const char* capability;
  const char* evidence;
};

std::vector<ProvenRoute> compiled_in_table() {
  const std::vector<ProvenText> entries = {
#include "proven_capabilities.inc"
  };
  std::vector<ProvenRoute> table;
  for (const ProvenText& entry : entries) {
    table.push_back({parse_route(entry.route), parse_capability(entry.capability), entry.evidence});
  }
  return table;
}

const std::vector<GateSet>& gate_sets() {
  static const std::vector<GateSet> sets = {
      {"exact70", GateSet::Rule::exactly, 70, {}},
      {"family7x", GateSet::Rule::family, 70, {}},
      {"proven", GateSet::Rule::proven, 0, compiled_in_table()},
  };
  return sets;
}

}  // namespace

bool GateSet::admits(Route route, Capability capability) const {
  switch (rule) {
    case Rule::exactly:
      return capability.is_exactly(number);
    case Rule::family:
      return capability.in_family(number);
    case Rule::proven:
      return std::any_of(table.begin(), table.end(), [&](const ProvenRoute& entry) {
        return entry.route == route && entry.capability == capability;
      });
  }
  return false;
}

std::string GateSet::requirement(Route route) const {
  if (rule == Rule::exactly) return fmt::format("exactly {}.{}", number / 10, number % 10);
  if (rule == Rule::family) return fmt::format("family {}.x", number / 10);
  std::vector<std::string> proven;
  for (const ProvenRoute& entry : table) {
    if (entry.route == route) proven.push_back(to_string(entry.capability));
  }
  return proven.empty() ? "a proven capability (none yet)"
                        : fmt::format("a proven capability ({})", fmt::join(proven, ", "));
}

const GateSet& gate_set(std::string_view name) {
  for (const GateSet& set : gate_sets()) {
    if (set.name == name) return set;
  }
  throw std::invalid_argument(
      fmt::format("unknown gate set '{}'; gate sets: {}", name, fmt::join(gate_set_names(), ", ")));
}

const std::vector<std::string>& gate_set_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const GateSet& set : gate_sets()) all.push_back(set.name);
    return all;
  }();
  return names;
}

}  // namespace plumbline::dispatch

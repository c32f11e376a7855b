#include "gpu/dispatch/proven_evidence.h"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plumbline::dispatch {
namespace {

bool is_disputed(Route route) {
  return route == Route::score_cublas_single || route == Route::score_cublas_split ||
         route == Route::topk_lexicographic;
}

bool has_hit(const nlohmann::json& evidence, Route route) {
  for (const nlohmann::json& hit : evidence.at("hits")) {
    if (operation_of(parse_route(hit.at("route").get<std::string>())) == route) return true;
  }
  return false;
}

/// Empty if the evidence backs the entry.
std::string problem_of(const ProvenRoute& entry, const std::filesystem::path& root) {
  if (!is_disputed(entry.route)) return "no gate set decides this route";
  std::ifstream file(root / entry.evidence);
  if (!file) return "evidence file is missing";
  try {
    const nlohmann::json evidence = nlohmann::json::parse(file);
    const auto device = evidence.at("device").at("capability").get<std::string>();
    if (parse_capability(device) != entry.capability) return "evidence is of capability " + device;
    return has_hit(evidence, entry.route) ? "" : "evidence has no hit of the route";
  } catch (const nlohmann::json::exception& error) {
    return fmt::format("evidence cannot be read: {}", error.what());
  } catch (const std::invalid_argument& error) {
    return fmt::format("evidence cannot be read: {}", error.what());
  }
}

}  // namespace

std::vector<std::string> check_proven(const std::vector<ProvenRoute>& table,
                                      const std::filesystem::path& root) {
  std::vector<std::string> problems;
  for (const ProvenRoute& entry : table) {
    const std::string problem = problem_of(entry, root);
    if (problem.empty()) continue;
    problems.push_back(fmt::format("{} on {} ({}): {}", name_of(entry.route), to_string(entry.capability),
                                   entry.evidence, problem));
  }
  return problems;
}

}  // namespace plumbline::dispatch

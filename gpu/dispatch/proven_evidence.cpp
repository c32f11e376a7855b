#include "gpu/dispatch/proven_evidence.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plumbline::dispatch {
namespace {

constexpr std::array kDisputed = {Route::score_cublas_single, Route::score_cublas_split,
                                  Route::topk_lexicographic};

bool is_disputed(Route route) {
  return std::find(kDisputed.begin(), kDisputed.end(), route) != kDisputed.end();
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

std::vector<ProvenRoute> proven_by(const std::string& evidence, const std::filesystem::path& root) {
  std::vector<ProvenRoute> proven;
  std::ifstream file(root / evidence);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("hits") || !json.contains("device")) return proven;
  const Capability capability = parse_capability(json["device"].at("capability").get<std::string>());
  for (const Route route : kDisputed)
    if (has_hit(json, route)) proven.push_back({route, capability, evidence});
  return proven;
}

}  // namespace plumbline::dispatch

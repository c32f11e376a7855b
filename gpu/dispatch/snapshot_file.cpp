#include "gpu/dispatch/snapshot.h"

#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace plumbline::dispatch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr const char* kBasis = "static: dispatch predicates evaluated on the host, no kernel ran";

SnapshotRow row_from(const Json& json) {
  SnapshotRow row;
  json.at("id").get_to(row.id);
  json.at("capability").get_to(row.capability);
  row.routes = json.at("routes").get<std::map<std::string, std::string>>();
  json.at("layout").get_to(row.layout);
  json.at("supported").get_to(row.supported);
  json.at("rejected").get_to(row.rejected);
  return row;
}

}  // namespace

std::string to_json(const Snapshot& snapshot) {
  Json cases = Json::array();
  for (const SnapshotRow& row : snapshot.rows) {
    cases.push_back({{"id", row.id},
                     {"capability", row.capability},
                     {"routes", row.routes},
                     {"layout", row.layout},
                     {"supported", row.supported},
                     {"rejected", row.rejected}});
  }
  const Json json = {{"schema", kSchema},
                     {"scope", snapshot.scope},
                     {"basis", kBasis},
                     {"gates", snapshot.gates},
                     {"cases", std::move(cases)}};
  return json.dump(1) + "\n";
}

Snapshot snapshot_from_json(std::string_view text, const std::string& name) {
  try {
    const Json json = Json::parse(text);
    const Json& schema = json.at("schema");
    if (schema != kSchema) {
      throw std::invalid_argument(fmt::format("{}: expected schema {}, found {}", name, kSchema,
                                              schema.is_number() ? schema.dump() : schema.type_name()));
    }
    Snapshot snapshot;
    json.at("scope").get_to(snapshot.scope);
    json.at("gates").get_to(snapshot.gates);
    std::set<std::string> ids;
    for (const Json& entry : json.at("cases")) {
      snapshot.rows.push_back(row_from(entry));
      if (!ids.insert(snapshot.rows.back().id).second) {
        throw std::invalid_argument(fmt::format("{}: row {} appears twice", name, snapshot.rows.back().id));
      }
    }
    return snapshot;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("{}: no route snapshot: {}", name, error.what()));
  }
}

}  // namespace plumbline::dispatch

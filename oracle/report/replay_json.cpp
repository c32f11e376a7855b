#include "oracle/report/replay_json.h"

#include "reference/numeric/ulp.h"

namespace plumbline {
namespace {

Json ulp_json(std::int64_t distance) { return distance == kUlpNaN ? Json(nullptr) : Json(distance); }

Json worst_json(const TapReport::Worst& worst) {
  return {{"batch", worst.batch},       {"token", worst.token}, {"column", worst.column},
          {"recorded", worst.recorded}, {"ours", worst.ours},   {"bound", worst.bound}};
}

Json tap_json(const TapReport& tap) {
  Json json = {{"forward", std::stoll(tap.forward)},
               {"name", tap.name},
               {"operation", tap.operation},
               {"dtype", name_of(tap.dtype)},
               {"elements", tap.elements},
               {"bit_equal", tap.bit_equal},
               {"max_ulp", ulp_json(tap.max_ulp)},
               {"p99_ulp", ulp_json(tap.p99_ulp)},
               {"max_partial_ulp", tap.max_partial_ulp},
               {"beyond_bound", tap.beyond_bound},
               {"share_of_bound", tap.used_share},
               {"ulp_histogram", tap.ulp_histogram},
               {"worst", worst_json(tap.worst)}};
  if (tap.against_recorded) {
    json["against_recorded"] = {{"elements", tap.against_recorded->elements},
                                {"bit_equal", tap.against_recorded->bit_equal},
                                {"max_ulp", ulp_json(tap.against_recorded->max_ulp)}};
  }
  return json;
}

/// Over all taps that the capture has a record of.
Json against_recorded_json(const std::vector<TapReport>& taps) {
  std::int64_t elements = 0, equal = 0;
  for (const TapReport& tap : taps) {
    if (!tap.against_recorded) continue;
    elements += tap.against_recorded->elements;
    equal += tap.against_recorded->bit_equal;
  }
  return {{"elements", elements}, {"bit_equal", equal}};
}

Json unsupported_json(const std::vector<UnsupportedTap>& taps) {
  Json all = Json::array();
  for (const UnsupportedTap& tap : taps) all.push_back({{"tap", tap.name}, {"reason", tap.reason}});
  return all;
}

Json first_divergence_json(const TapReport* tap) {
  if (tap == nullptr) return nullptr;
  Json json = {{"forward", std::stoll(tap->forward)}, {"name", tap->name}, {"operation", tap->operation}};
  json.update(worst_json(tap->worst));
  return json;
}

Json operations_json(const std::vector<TapReport>& taps) {
  Json all = Json::array();
  for (const OperationSummary& one : summarise(taps, true)) {
    all.push_back({{"layer", one.layer},
                   {"operation", one.operation},
                   {"taps", one.taps},
                   {"elements", one.elements},
                   {"bit_equal", one.bit_equal},
                   {"max_ulp", ulp_json(one.max_ulp)},
                   {"max_partial_ulp", one.max_partial_ulp},
                   {"share_of_bound", one.used_share},
                   {"beyond_bound", one.beyond_bound},
                   {"ulp_histogram", one.ulp_histogram}});
  }
  return all;
}

Json free_json(const FreeRunningReport& free) {
  Json json = {{"bound", free.bound},
               {"bound_is", "measured against the exact profile"},
               {"max_abs_to_exact", free.max_abs_to_exact},
               {"ours_to_exact", free.ours_to_exact},
               {"selections", free.selections},
               {"followed_at_ties", free.followed_at_ties},
               {"selections_parted", free.selections_parted},
               {"first_parted_selection", free.first_parted_selection},
               {"partings", Json::array()}};
  for (const FreeRunningReport::Parting& one : free.partings) {
    json["partings"].push_back({{"forward", std::stoll(one.forward)},
                                {"batch", one.batch},
                                {"token", one.token},
                                {"recorded", one.recorded},
                                {"ours", one.ours},
                                {"margin", one.margin}});
  }
  if (free.conditioned) {
    json["conditioned"] = {{"argmax_equal", free.conditioned->argmax_equal},
                           {"max_abs", free.conditioned->max_abs},
                           {"bound", free.conditioned->bound}};
  }
  return json;
}

Json logits_json(const ReplayReport& replay) {
  std::int64_t rows = 0, equal = 0;
  double largest = 0;
  for (const TapReport& tap : replay.taps) {
    if (tap.operation != "logits") continue;
    rows += tap.rows;
    equal += tap.argmax_equal;
    largest = std::max(largest, tap.max_abs);
  }
  if (replay.free) {
    rows = replay.free->rows;
    equal = replay.free->argmax_equal;
    largest = replay.free->max_abs;
  }
  return {{"rows", rows}, {"argmax_equal", equal}, {"max_abs", largest}};
}

Json head_json(const ReplayReport& replay) {
  return {{"file", replay.file},
          {"subject", replay.subject},
          {"mode", replay.mode == ReplayMode::free ? "free" : "teacher"},
          {"profile", replay.profile},
          {"profile_reason", replay.profile_reason},
          {"status", name_of(replay.status)},
          {"reason", replay.reason},
          {"first_divergence", first_divergence_json(replay.first_divergence())}};
}

Json tail_json(const ReplayReport& replay) {
  Json json = {{"without_inputs", replay.without_inputs},
               {"unknown", replay.unknown},
               {"operations", operations_json(replay.taps)},
               {"selection", replay.selection ? indexer_json(*replay.selection) : Json(nullptr)},
               {"logits", logits_json(replay)}};
  if (replay.free) json["free_running"] = free_json(*replay.free);
  if (replay.subject != "recorded") {
    json["against_recorded"] = against_recorded_json(replay.taps);
    json["unsupported"] = unsupported_json(replay.unsupported);
  }
  return json;
}

}  // namespace

bool is_replay(const Json& report) { return report.value("command", "") == "replay"; }

Json replay_json(const ReplayReport& replay, const std::string& repro) {
  Json json = {{"schema", 1}, {"command", "replay"}};
  json.update(head_json(replay));
  json["taps"] = Json::array();
  for (const TapReport& tap : replay.taps) json["taps"].push_back(tap_json(tap));
  json.update(tail_json(replay));
  json["repro"] = repro;
  return json;
}

Json replay_summary_json(const ReplayReport& replay) {
  Json json = head_json(replay);
  json["taps"] = replay.taps.size();
  json.update(tail_json(replay));
  return json;
}

Json explain_json(const ExplainReport& explanation) {
  Json json = {{"schema", 1},
               {"command", "explain"},
               {"file", explanation.file},
               {"best", explanation.profiles.empty() ? Json(nullptr) : Json(explanation.profiles[0].profile)},
               {"profiles", Json::array()},
               {"operations", Json::array()},
               {"unexplained", Json::array()}};
  for (const ProfileFit& fit : explanation.profiles) {
    json["profiles"].push_back({{"profile", fit.profile},
                                {"mean_bit_equal_share", fit.mean_share},
                                {"operations_within_bound", fit.operations_within},
                                {"operations", fit.operations}});
  }
  for (const OperationFit& fit : explanation.operations) {
    Json shares = Json::object();
    for (const auto& [profile, share] : fit.shares) shares[profile] = share;
    json["operations"].push_back({{"operation", fit.operation},
                                  {"elements", fit.elements},
                                  {"best", fit.best},
                                  {"bit_equal_share", std::move(shares)},
                                  {"within_bound", fit.within_bound}});
    if (fit.within_bound.empty()) json["unexplained"].push_back(fit.operation);
  }
  return json;
}

}  // namespace plumbline

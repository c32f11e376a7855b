#include "oracle/report/report_json.h"

#include "oracle/report/attention_json.h"
#include "oracle/report/replay_json.h"
#include "oracle/summation/split_report.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr int kSchema = 1;

Json counts_json(const std::optional<VerdictCounts>& counts) {
  if (!counts) return nullptr;
  Json json = Json::object();
  for (int v = 0; v < kVerdicts; ++v) {
    const auto verdict = static_cast<Verdict>(v);
    json[std::string(name_of(verdict))] = (*counts)[verdict];
  }
  return json;
}

Json number_or_null(bool known, std::int64_t number) { return known ? Json(number) : Json(nullptr); }

Json census_json(const TieCensus& census) {
  Json json = {
      {"rows", census.rows},
      {"rows_selecting", census.rows_selecting},
      {"on_exact_scores", census.has_exact},
      {"rows_tied_at_cutoff", census.rows_tied_at_cutoff},
      {"rows_zero_plateau", census.rows_zero_plateau},
      {"largest_tie_class", census.largest_tie_class},
      {"min_margin_ulp", number_or_null(census.min_margin_ulp >= 0, census.min_margin_ulp)},
      {"median_margin_ulp", number_or_null(census.median_margin_ulp >= 0, census.median_margin_ulp)},
  };
  if (!census.has_scores) {
    json["overflows"] = nullptr;
    return json;
  }
  json["overflows"] = Json::array();
  for (const TieCensus::Overflow& overflow : census.overflows)
    json["overflows"].push_back({{"kernel", overflow.kernel},
                                 {"capacity", overflow.capacity},
                                 {"rows", overflow.rows},
                                 {"worst_bin", overflow.worst_bin}});
  return json;
}

Json witness_json(const Witness& witness) {
  return {{"row", witness.row},
          {"verdict", name_of(witness.verdict)},
          {"judgement", witness.judgement},
          {"claimed_block", witness.claimed_block},
          {"missed_block", witness.missed_block},
          {"claimed_score", witness.claimed_score},
          {"missed_score", witness.missed_score},
          {"gap", witness.gap},
          {"gap_value", witness.gap_value},
          {"allowed", witness.allowed},
          {"what", witness.what}};
}

Json selection_json(const JudgedSelection& selection) {
  Json json = {{"case", selection.case_name},
               {"tag", selection.tag},
               {"scores_tag", selection.scores_tag.empty() ? Json(nullptr) : Json(selection.scores_tag)},
               {"rows", selection.rows},
               {"contract", name_of(selection.contract)},
               {"status", name_of(selection.status)},
               {"reason", selection.reason},
               {"error_model", selection.error_model.empty() ? Json(nullptr) : Json(selection.error_model)},
               {"selector", counts_json(selection.selector)},
               {"end_to_end", counts_json(selection.end_to_end)},
               {"rows_without_exact_score", selection.rows_without_exact_score},
               {"census", census_json(selection.census)},
               {"witnesses", Json::array()},
               {"witnesses_left_out", selection.witnesses_left_out}};
  for (const Witness& witness : selection.witnesses) json["witnesses"].push_back(witness_json(witness));
  if (selection.token_faults)
    json["tokens"] = {{"expansion", selection.token_faults->expansion},
                      {"tail", selection.token_faults->tail},
                      {"padding", selection.token_faults->padding},
                      {"padded_rows", selection.padded_rows}};
  return json;
}

Json proof_json(const ProofReport& proof) {
  Json json = {{"rows", proof.rows},
               {"rows_selecting", proof.rows_selecting},
               {"rows_proven", proof.rows_proven},
               {"rows_without_exact_score", proof.rows_without_exact_score},
               {"rows_unproven", proof.rows_unproven},
               {"resolved_exactly", proof.resolved_exactly},
               {"faults", Json::array()},
               {"faults_left_out", proof.faults_left_out}};
  for (const ProofReport::Fault& fault : proof.faults)
    json["faults"].push_back({{"row", fault.row}, {"what", fault.what}});
  return json;
}

}  // namespace

Json indexer_json(const IndexerReport& indexer) {
  Json json = {
      {"case", indexer.case_name},
      {"profile", indexer.profile},
      {"error_model", indexer.error_model},
      {"forwards", indexer.forwards},
      {"sparse_layers", indexer.sparse_layers},
      {"rows", indexer.rows},
      {"dead_tokens", indexer.dead_tokens},
      {"scores",
       {{"compared", indexer.scores.compared},
        {"bit_equal", indexer.scores.bit_equal},
        {"beyond", indexer.scores.beyond},
        {"largest_share_of_bound", indexer.scores.largest_share},
        {"worst_row", indexer.scores.worst_row},
        {"worst_block", indexer.scores.worst_block}}},
      {"lengths_wrong", indexer.lengths_wrong},
      {"raw_keys", {{"compared", indexer.raw_keys_compared}, {"different", indexer.raw_keys_different}}},
      {"norms",
       {{"compared", indexer.normed_compared},
        {"beyond", indexer.normed_beyond},
        {"largest_share_of_bound", indexer.normed_largest_share}}},
      {"selector", counts_json(indexer.selector)},
      {"end_to_end", counts_json(indexer.end_to_end)},
      {"rows_without_exact_score", indexer.rows_without_exact_score},
      {"census", census_json(indexer.census)},
      {"witnesses", Json::array()},
      {"witnesses_left_out", indexer.witnesses_left_out}};
  for (const Witness& witness : indexer.witnesses) json["witnesses"].push_back(witness_json(witness));
  return json;
}

namespace {

Json hit_json(const dispatch::RouteHit& hit) {
  Json json = {{"route", dispatch::name_of(hit.route)},
               {"tags", hit.tags},
               {"records", hit.records},
               {"witnesses", Json::array()},
               {"symbols", Json::array()}};
  if (hit.tags > 0) json["witnesses"].push_back("device tags");
  if (hit.records > 0) json["witnesses"].push_back("CUPTI");
  for (const dispatch::SymbolHit& symbol : hit.symbols)
    json["symbols"].push_back({{"symbol", symbol.symbol},
                               {"launches", symbol.launches},
                               {"grid", symbol.grid},
                               {"microseconds", symbol.microseconds}});
  return json;
}

void add_routes(const RouteEvidence& routes, Json& json) {
  json["calls"] = routes.calls;
  json["hits"] = Json::array();
  for (const dispatch::RouteHit& hit : routes.hits) json["hits"].push_back(hit_json(hit));
  json["misses"] = routes.misses;
  json["misses_left_out"] = routes.misses_left_out;
}

Json variation_json(const VariationReport& one) {
  return {{"name", one.name},
          {"calls", one.calls},
          {"rows", one.rows},
          {"rows_selecting", one.rows_selecting},
          {"rows_changed", one.rows_changed},
          {"rows_rescored", one.rows_rescored},
          {"scores_beyond", one.scores_beyond},
          {"largest_share_of_bound", one.largest_share},
          {"kernels", one.kernels},
          {"overlapping", one.overlapping}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json answers_json(const Answers& answers) {
  Json json = {{"inputs", answers.inputs},
               {"selection", text_or_null(answers.selection)},
               {"scores", text_or_null(answers.scores)},
               {"score_sample", Json::array()}};
  for (const std::uint32_t bits : answers.score_sample)
    json["score_sample"].push_back(fmt::format("{:08x}", bits));
  return json;
}

Json check_json(const CheckResult& check) {
  Json json = {{"name", check.name},
               {"kind", name_of(check.kind)},
               {check.kind == CheckKind::golden ? "file" : "case", check.source},
               {"subject", check.subject},
               {"status", name_of(check.status)},
               {"expected", check.expect_vacuous ? name_of(Status::vacuous) : name_of(Status::pass)},
               {"reason", check.reason},
               {"seconds", check.seconds},
               {"selections", Json::array()},
               {"repro", check.repro}};
  for (const JudgedSelection& selection : check.selections)
    json["selections"].push_back(selection_json(selection));
  if (check.indexer) json["indexer"] = indexer_json(*check.indexer);
  if (check.proof) json["proof"] = proof_json(*check.proof);
  if (check.replay) json["replay"] = replay_summary_json(*check.replay);
  if (!check.ranks.empty()) json["ranks"] = ranks_json(check.ranks);
  if (check.split) json["split"] = trials_json(*check.split);
  for (const AttentionReport& one : check.attention) json["attention"].push_back(attention_json(one));
  if (check.routes) add_routes(*check.routes, json);
  if (!check.answers.inputs.empty()) json["answers"] = answers_json(check.answers);
  for (const VariationReport& one : check.variations) json["variations"].push_back(variation_json(one));
  return json;
}

// What the checks that passed showed of each route; a miss anywhere else proves nothing.
Json all_hits(const RunReport& run) {
  RouteEvidence all;
  for (const CheckResult& check : run.checks)
    if (check.routes && check.status == Status::pass) all.add(*check.routes);
  Json json = Json::array();
  for (const dispatch::RouteHit& hit : all.hits) json.push_back(hit_json(hit));
  return json;
}

Json status_counts_json(const StatusCounts& counts) {
  return {{"PASS", counts.pass},
          {"FAIL", counts.fail},
          {"ROUTE_MISSED", counts.route_missed},
          {"VACUOUS", counts.vacuous},
          {"VACUOUS_DECLARED", counts.vacuous_declared},
          {"UNSUPPORTED", counts.unsupported},
          {"NOT_EXECUTED", counts.not_executed},
          {"ERROR", counts.error}};
}

// The worst status stands for the whole, in this order.
std::string_view overall(const StatusCounts& counts) {
  if (counts.error > 0) return name_of(Status::error);
  if (counts.fail > 0) return name_of(Status::fail);
  if (counts.route_missed > 0) return name_of(Status::route_missed);
  if (counts.vacuous > 0) return name_of(Status::vacuous);
  if (counts.pass > 0) return name_of(Status::pass);
  if (counts.vacuous_declared > 0) return name_of(Status::vacuous);
  if (counts.unsupported > 0) return name_of(Status::unsupported);
  return name_of(Status::not_executed);
}

Status status_from(const std::string& name) { return parse_status(name).value_or(Status::error); }

}  // namespace

Json routes_json(const RouteEvidence& routes, const std::string& witnesses) {
  Json json = {{"witnesses", witnesses}};
  add_routes(routes, json);
  return json;
}

Json machine_json(const Machine& machine) {
  return {
      {"cpu", machine.cpu},     {"threads", machine.threads},
      {"isa", machine.isa},     {"compiler", machine.compiler},
      {"os", machine.os},       {"flags", machine.flags},
      {"build", machine.build}, {"device", machine.device.empty() ? Json(nullptr) : Json(machine.device)}};
}

namespace {

Json shard_json(const Shard& shard) {
  if (shard.of == 1) return nullptr;
  return {{"index", shard.index}, {"of", shard.of}};
}

}  // namespace

Json verify_json(const RunReport& run) {
  const StatusCounts counts = run.counts();
  Json json = {{"schema", kSchema},
               {"command", "verify"},
               {"status", overall(counts)},
               {"machine", machine_json(run.machine)},
               {"filter", run.request.filter},
               {"seed_shift", run.request.seed_shift},
               {"shard", shard_json(run.request.shard)},
               {"checks", Json::array()},
               {"counts", status_counts_json(counts)},
               {"not_executed", Json::array()}};
  if (!run.capability.empty()) {
    json["device"] = {{"name", run.machine.device},
                      {"capability", run.capability},
                      {"driver", text_or_null(run.driver)},
                      {"witnesses", run.witnesses.empty() ? Json(nullptr) : Json(run.witnesses)}};
    json["hits"] = all_hits(run);
  }
  for (const CheckResult& check : run.checks) {
    json["checks"].push_back(check_json(check));
    if (check.status == Status::not_executed)
      json["not_executed"].push_back({{"name", check.name}, {"reason", check.reason}});
  }
  return json;
}

Json select_json(const std::string& file, const std::vector<JudgedSelection>& selections,
                 const std::vector<std::string>& repro) {
  StatusCounts counts;
  for (const JudgedSelection& selection : selections) counts.add(selection.status);
  Json json = {{"schema", kSchema},
               {"command", "select"},
               {"file", file},
               {"status", overall(counts)},
               {"selections", Json::array()}};
  for (std::size_t i = 0; i < selections.size(); ++i) {
    json["selections"].push_back(selection_json(selections[i]));
    json["selections"].back()["repro"] = repro[i];
  }
  return json;
}

StatusCounts counts_of(const Json& report) {
  StatusCounts counts;
  if (is_replay(report)) {
    counts.add(status_from(report.at("status").get<std::string>()));
    return counts;
  }
  const bool verify = report.contains("checks");
  for (const Json& entry : report.at(verify ? "checks" : "selections")) {
    const std::string expected = entry.value("expected", "PASS");
    counts.add(status_from(entry.at("status").get<std::string>()), expected == name_of(Status::vacuous));
  }
  return counts;
}

std::string to_text(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plumbline

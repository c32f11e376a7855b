#include "fixtures/error.h"
#include "oracle/evidence/cells.h"
#include "oracle/evidence/evidence.h"
#include "oracle/evidence/json_fields.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr const char* kSchema = "plumbline-evidence";
constexpr int kVersion = 1;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json hits_json(const std::vector<EvidenceHit>& hits, bool with_symbols) {
  Json json = Json::array();
  for (const EvidenceHit& hit : hits) {
    json.push_back({{"route", hit.route}, {"tags", hit.tags}, {"records", hit.records}});
    if (with_symbols) json.back()["symbols"] = hit.symbols;
  }
  return json;
}

std::vector<EvidenceHit> read_hits(JsonFields& fields, bool with_symbols) {
  std::vector<EvidenceHit> hits;
  fields.each("hits", [&](JsonFields& one) {
    hits.push_back({one.text("route"), one.count("tags"), one.count("records")});
    if (with_symbols) hits.back().symbols = one.texts("symbols");
  });
  return hits;
}

Json answers_json(const Answers& answers) {
  if (answers.inputs.empty()) return nullptr;
  Json json = {{"inputs", answers.inputs},
               {"selection", text_or_null(answers.selection)},
               {"scores", text_or_null(answers.scores)},
               {"score_sample", Json::array()}};
  for (const std::uint32_t bits : answers.score_sample)
    json["score_sample"].push_back(fmt::format("{:08x}", bits));
  return json;
}

std::string digest_or_null(JsonFields& fields, const char* name) {
  const std::string text = fields.text_or_null(name);
  return text.empty() ? text : fields.sha256(name);
}

Answers read_answers(JsonFields& fields) {
  Answers answers;
  answers.inputs = fields.sha256("inputs");
  answers.selection = digest_or_null(fields, "selection");
  answers.scores = digest_or_null(fields, "scores");
  for (const std::string& bits : fields.texts("score_sample")) {
    if (bits.size() != 8 || bits.find_first_not_of("0123456789abcdef") != std::string::npos)
      fields.refuse("score_sample", "8 lower-case hexadecimal digits each", bits);
    answers.score_sample.push_back(static_cast<std::uint32_t>(std::stoul(bits, nullptr, 16)));
  }
  return answers;
}

Json check_json(const EvidenceCheck& check) {
  return {{"name", check.name},
          {"capability", check.capability},
          {"source", check.source},
          {"subject", check.subject},
          {"status", name_of(check.status)},
          {"expected", name_of(check.expect_vacuous ? Status::vacuous : Status::pass)},
          {"reason", check.reason},
          {"rows", check.rows},
          {"elements", check.elements},
          {"beyond", check.beyond},
          {"answers", answers_json(check.answers)},
          {"arithmetic", text_or_null(check.arithmetic)},
          {"hits", hits_json(check.hits, false)}};
}

Status read_status(JsonFields& fields, const char* name) {
  const std::string text = fields.text(name);
  const std::optional<Status> status = parse_status(text);
  if (!status) fields.refuse(name, "a status", text);
  return *status;
}

EvidenceCheck read_check(JsonFields& fields) {
  EvidenceCheck check;
  check.name = fields.text("name");
  check.capability = fields.text("capability");
  check.source = fields.text("source");
  check.subject = fields.text("subject");
  check.status = read_status(fields, "status");
  check.expect_vacuous = read_status(fields, "expected") == Status::vacuous;
  check.reason = fields.text("reason");
  check.rows = fields.count("rows");
  check.elements = fields.count("elements");
  check.beyond = fields.count("beyond");
  fields.object_or_null("answers", [&](JsonFields& answers) { check.answers = read_answers(answers); });
  check.arithmetic = fields.text_or_null("arithmetic");
  check.hits = read_hits(fields, false);
  return check;
}

Json cell_json(const EvidenceCell& cell) {
  return {{"path", cell.path},       {"capability", cell.capability}, {"level", name_of(cell.level)},
          {"checks", cell.checks},   {"passed", cell.passed},         {"tags", cell.tags},
          {"records", cell.records}, {"captures", cell.captures},     {"seeds", cell.seeds},
          {"figures", cell.figures}, {"planned", Json(cell.planned)}};
}

// Compared as a whole with what checks and figures show, so that its numbers need no reading one by one.
EvidenceCell read_cell(JsonFields& fields, const Json& json) {
  EvidenceCell cell;
  cell.path = fields.text("path");
  cell.capability = fields.text("capability");
  cell.level = parse_level(fields.text("level"));
  cell.checks = fields.count("checks");
  cell.passed = fields.count("passed");
  cell.tags = fields.count("tags");
  cell.records = fields.count("records");
  cell.captures = fields.texts("captures");
  cell.figures = fields.texts("figures");
  fields.numbers("seeds", cell.seeds);
  fields.object("planned", [&](JsonFields& planned) {
    for (const auto& [gates, cases] : json.at("planned").items())
      cell.planned[gates] = planned.count(gates.c_str());
  });
  return cell;
}

// What the file's own checks and figures show of its cells: the plans are the file's word, the rest is not.
void check_cells(const Evidence& evidence, const std::string& file) {
  CellTable table;
  for (const EvidenceCheck& check : evidence.checks) table.add(check);
  if (evidence.figures_commit == evidence.tool.commit)
    for (const EvidenceFigure& figure : evidence.figures) table.add(figure, evidence.capability());
  std::map<std::pair<std::string, std::string>, EvidenceCell> shown;
  for (EvidenceCell& cell : table.cells()) shown[{cell.path, cell.capability}] = cell;
  for (const EvidenceCell& cell : evidence.cells) {
    EvidenceCell right = shown[{cell.path, cell.capability}];
    shown.erase({cell.path, cell.capability});
    right.path = cell.path;
    right.capability = cell.capability;
    right.planned = cell.planned;
    if (!cell.planned.empty()) right.level = std::max(right.level, Level::planned);
    if (cell_json(cell) != cell_json(right))
      throw InputError(file, fmt::format("cells: {} on {}", cell.path, cell.capability),
                       "what the checks and figures of the file show: " + cell_json(right).dump(),
                       cell_json(cell).dump());
  }
  if (!shown.empty())
    throw InputError(file, "cells",
                     fmt::format("{} on {}", shown.begin()->first.first, shown.begin()->first.second),
                     "no such cell");
}

}  // namespace

Json to_json(const Evidence& evidence) {
  Json device = nullptr;
  if (evidence.device) {
    const EvidenceDevice& one = *evidence.device;
    device = {{"name", one.name},
              {"capability", one.capability},
              {"driver", text_or_null(one.driver)},
              {"cuda_driver_api", text_or_null(one.cuda_driver_api)},
              {"cuda_runtime", text_or_null(one.cuda_runtime)},
              {"cublas", text_or_null(one.cublas)},
              {"witnesses", text_or_null(one.witnesses)}};
  }
  Json json = {{"schema", kSchema},
               {"version", kVersion},
               {"tool",
                {{"version", evidence.tool.version},
                 {"commit", text_or_null(evidence.tool.commit)},
                 {"dirty", evidence.tool.dirty},
                 {"compiler", evidence.tool.compiler},
                 {"flags", evidence.tool.flags}}},
               {"command", evidence.command},
               {"filter", evidence.filter},
               {"seed_shift", evidence.seed_shift},
               {"shard", {{"index", evidence.shard.index}, {"of", evidence.shard.of}}},
               {"runner",
                {{"os", evidence.runner.os},
                 {"cpu", evidence.runner.cpu},
                 {"isa", evidence.runner.isa},
                 {"threads", evidence.runner.threads}}},
               {"device", device},
               {"static_basis", evidence.static_basis},
               {"not_executed", Json::array()},
               {"cells", Json::array()},
               {"hits", hits_json(evidence.hits, true)},
               {"figures_commit", text_or_null(evidence.figures_commit)},
               {"figures", Json::array()},
               {"orders", Json(evidence.orders)},
               {"identical_sets", Json(evidence.identical_sets)},
               {"checks", Json::array()}};
  for (const EvidenceCheck& check : evidence.checks) {
    json["checks"].push_back(check_json(check));
    if (check.status == Status::not_executed || check.status == Status::unsupported)
      json["not_executed"].push_back(
          {{"check", check.name}, {"status", name_of(check.status)}, {"reason", check.reason}});
  }
  for (const EvidenceCell& cell : evidence.cells) json["cells"].push_back(cell_json(cell));
  for (const EvidenceFigure& figure : evidence.figures)
    json["figures"].push_back({{"arm", figure.arm},
                               {"stage", figure.stage},
                               {"route", figure.route},
                               {"blocks", figure.blocks},
                               {"median_ms", figure.median_ms},
                               {"min_ms", figure.min_ms},
                               {"max_ms", figure.max_ms}});
  return json;
}

Evidence evidence_from_json(const Json& json, const std::string& file) {
  Evidence evidence;
  JsonFields fields(json, file);
  fields.expect_schema(kSchema, kVersion);
  fields.object("tool", [&](JsonFields& tool) {
    evidence.tool = {tool.text("version"), tool.text_or_null("commit"), tool.boolean("dirty"),
                     tool.text("compiler"), tool.text("flags")};
  });
  evidence.command = fields.text("command");
  evidence.filter = fields.text("filter");
  fields.number_64("seed_shift", evidence.seed_shift);
  fields.object("shard", [&](JsonFields& shard) {
    evidence.shard = parse_shard(fmt::format("{}/{}", shard.count("index"), shard.count("of")));
  });
  fields.object("runner", [&](JsonFields& runner) {
    evidence.runner = {runner.text("os"), runner.text("cpu"), runner.text("isa"), runner.count("threads")};
  });
  fields.object_or_null("device", [&](JsonFields& device) {
    evidence.device = {device.text("name"),
                       device.text("capability"),
                       device.text_or_null("driver"),
                       device.text_or_null("cuda_driver_api"),
                       device.text_or_null("cuda_runtime"),
                       device.text_or_null("cublas"),
                       device.text_or_null("witnesses")};
  });
  evidence.static_basis = fields.text("static_basis");
  fields.each("checks", [&](JsonFields& one) { evidence.checks.push_back(read_check(one)); });
  // Told again of the checks, for the reader of the file.
  fields.each("not_executed", [&](JsonFields& one) {
    one.text("check");
    one.text("status");
    one.text("reason");
  });
  evidence.hits = read_hits(fields, true);
  evidence.figures_commit = fields.text_or_null("figures_commit");
  fields.each("figures", [&](JsonFields& one) {
    evidence.figures.push_back({one.text("arm"), one.text("stage"), one.text("route"), one.count("blocks"),
                                one.number("median_ms"), one.number("min_ms"), one.number("max_ms")});
  });
  fields.object("orders", [&](JsonFields& orders) {
    for (const auto& [box, fingerprint] : json.at("orders").items())
      evidence.orders[box] = orders.text(box.c_str());
  });
  fields.object("identical_sets", [&](JsonFields& sets) {
    for (const auto& [name, share] : json.at("identical_sets").items())
      evidence.identical_sets[name] = sets.number(name.c_str());
  });
  std::size_t number = 0;
  fields.each("cells", [&](JsonFields& one) {
    evidence.cells.push_back(read_cell(one, json.at("cells").at(number++)));
  });
  fields.finish();
  check_cells(evidence, file);
  return evidence;
}

}  // namespace plumbline

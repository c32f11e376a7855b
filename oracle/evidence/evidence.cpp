#include "oracle/evidence/evidence.h"

#include "fixtures/error.h"
#include "oracle/report/machine.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

namespace plumbline {
namespace {

Status status_of(const std::string& name, const std::string& where) {
  if (const std::optional<Status> status = parse_status(name)) return *status;
  throw InputError(where, "", "a status", name);
}

std::string text_in(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

// Reads reports of this program: what its own writer guarantees is not checked field by field.
class ReportReader {
 public:
  explicit ReportReader(Evidence& evidence) : evidence_(evidence) {}

  void add(const std::string& file, const Json& report) {
    try {
      const std::string command = text_in(report, "command"), schema = text_in(report, "schema");
      if (report.contains("contexts")) {
        add_selection_bench(file, report);
      } else if (report.contains("scenes")) {
        add_attention_bench(file, report);
      } else if (command == "probe") {
        for (const Json& one : report.at("probes"))
          evidence_.orders[text_in(one, "box")] =
              text_in(one, "fingerprint").empty() ? "no fixed order" : text_in(one, "fingerprint");
      } else if (command == "plugin") {
        add_plugin(file, report);
      } else if (command == "verify" || schema == "plumbline-verify-summary") {
        if (verified_) throw InputError(file, "", "one report of verify", "a second");
        verified_ = true;
        add_verify(file, report);
      } else if (!command.starts_with("bench ") && command != "mutants") {
        throw InputError(file, "", "a report of verify, plugin, probe, mutants or bench",
                         "command '" + command + "'");
      }
    } catch (const Json::exception& error) {
      throw InputError(file, "", "a report of this program", error.what());
    }
  }
  bool verified() const { return verified_; }

 private:
  // Twelve digits; "0.1.0+5bc2bbf46d63-dirty" names its commit too.
  static std::string commit_of(const Json& report) {
    if (const std::string commit = text_in(report, "commit"); !commit.empty()) return commit.substr(0, 12);
    const std::string build = text_in(report.at("machine"), "build");
    const std::size_t plus = build.find('+');
    return plus == std::string::npos ? "" : build.substr(plus + 1, 12);
  }

  static bool is_dirty(const Json& report) {
    const auto machine = report.find("machine");
    return machine != report.end() && text_in(*machine, "build").ends_with("-dirty");
  }

  void add_machine(const Json& report) {
    const Json& machine = report.at("machine");
    EvidenceTool& tool = evidence_.tool;
    tool.version = text_in(machine, "build").substr(0, text_in(machine, "build").find('+'));
    tool.commit = commit_of(report);
    tool.dirty = text_in(machine, "build").ends_with("-dirty");
    tool.compiler = text_in(machine, "compiler");
    tool.flags = text_in(machine, "flags");
    evidence_.runner = {text_in(machine, "os"), text_in(machine, "cpu"), text_in(machine, "isa"),
                        machine.value("threads", 1)};
  }

  // "NVIDIA H200, CUDA driver API 13000, runtime 13000, cuBLAS 130100"
  void add_device(const Json& report) {
    if (!report.contains("device")) return;
    const Json& json = report.at("device");
    const std::string text = text_in(json, "name");
    EvidenceDevice& device = evidence_.device.emplace();
    const auto number_after = [&](const char* words) {
      std::smatch found;
      return std::regex_search(text, found, std::regex(std::string(words) + " ([0-9.]+)")) ? found[1].str()
                                                                                           : "";
    };
    device.name = text.substr(0, text.find(", "));
    device.capability = json.at("capability").get<std::string>();
    device.driver = text_in(json, "driver").empty() ? text_in(report, "driver") : text_in(json, "driver");
    device.cuda_driver_api = number_after("driver API");
    device.cuda_runtime = number_after("runtime");
    device.cublas = number_after("cuBLAS");
    device.witnesses = text_in(json, "witnesses");
  }

  static std::vector<EvidenceHit> hits_in(const Json& json, bool with_symbols) {
    std::vector<EvidenceHit> hits;
    for (const Json& one : json.value("hits", Json::array())) {
      EvidenceHit& hit = hits.emplace_back();
      hit.route = one.at("route").get<std::string>();
      hit.tags = one.at("tags").get<std::int64_t>();
      hit.records = one.at("records").get<std::int64_t>();
      if (!with_symbols) continue;
      for (const Json& symbol : one.at("symbols"))
        hit.symbols.push_back(symbol.at("symbol").get<std::string>());
      std::sort(hit.symbols.begin(), hit.symbols.end());
    }
    return hits;
  }

  EvidenceCheck check_in(const std::string& file, const Json& json) const {
    EvidenceCheck check;
    check.name = json.at("name").get<std::string>();
    for (const char* field : {"file", "case", "source"})
      if (check.source.empty()) check.source = text_in(json, field);
    // Where a capture lies is the machine's own business.
    if (check.source.ends_with(".h5")) check.source = check.source.substr(check.source.rfind('/') + 1);
    check.subject = text_in(json, "subject");
    const bool on_device = check.name.starts_with("cuda/");
    check.capability = on_device ? evidence_.capability() : "cpu";
    check.status = status_of(json.at("status").get<std::string>(), file);
    // The summaries of older runs say that VACUOUS was declared in their counts alone, where no other was.
    const std::string declared = json.contains("expected") ? text_in(json, "expected") : declared_;
    check.expect_vacuous = check.status == Status::vacuous && declared == name_of(Status::vacuous);
    check.reason = text_in(json, "reason");
    add_extent(json, check);
    check.hits = hits_in(json, false);
    if (!json.contains("answers")) return check;
    const Json& answers = json.at("answers");
    check.answers = {
        text_in(answers, "inputs"), text_in(answers, "selection"), text_in(answers, "scores"), {}};
    for (const Json& bits : answers.at("score_sample"))
      check.answers.score_sample.push_back(
          static_cast<std::uint32_t>(std::stoul(bits.get<std::string>(), nullptr, 16)));
    return check;
  }

  static std::int64_t count_in(const Json& json, const char* name) {
    return json.value(name, std::int64_t{0});
  }

  // How much of what kind was judged; every kind of check has a form of its own (report_json.cpp).
  static void add_extent(const Json& json, EvidenceCheck& check) {
    const auto add_elements = [&](const Json& one, const char* elements) {
      check.elements += count_in(one, elements);
      check.beyond += count_in(one, "beyond_bound");
    };
    for (const Json& selection : json.value("selections", Json::array())) {
      check.rows += selection.at("rows").get<std::int64_t>();
      if (text_in(selection, "contract") == "within_error")
        check.arithmetic = text_in(selection, "error_model");
    }
    // Of the rows that were selected.
    if (json.contains("proof")) check.rows = std::max(check.rows, count_in(json.at("proof"), "rows"));
    if (json.contains("indexer")) {
      const Json& indexer = json.at("indexer");
      check.rows += count_in(indexer, "rows");
      check.elements += count_in(indexer.at("scores"), "compared");
      check.beyond += count_in(indexer.at("scores"), "beyond");
      check.arithmetic = text_in(indexer, "error_model");
    }
    if (json.contains("replay"))
      for (const Json& one : json.at("replay").value("operations", Json::array()))
        add_elements(one, "elements");
    for (const Json& one : json.value("attention", Json::array())) {
      check.rows += count_in(one, "rows");
      for (const char* tensor : {"output", "lse"})
        if (one.contains(tensor) && one.at(tensor).is_object()) add_elements(one.at(tensor), "elements");
    }
    if (json.contains("split"))
      for (const Json& one : json.at("split").value("numbers", Json::array())) add_elements(one, "results");
    for (const Json& one : json.value("ranks", Json::array())) add_elements(one, "elements");
  }

  // A foreign kernel's checks are told from ours by its name.
  void add_plugin(const std::string& file, const Json& report) {
    const std::string name = std::filesystem::path(text_in(report, "plugin")).stem().string();
    if (name.empty()) throw InputError(file, "plugin", "the plugin's name", "none");
    for (const Json& json : report.at("checks")) {
      EvidenceCheck check = check_in(file, json);
      check.name = fmt::format("plugin/{}/{}", name, check.name);
      check.capability = report.contains("device") ? text_in(report.at("device"), "capability") : "cpu";
      evidence_.checks.push_back(std::move(check));
    }
  }

  void add_verify(const std::string& file, const Json& report) {
    add_machine(report);
    add_device(report);
    const std::string command = text_in(report, "command");
    evidence_.command = command == "verify" ? "plumbline verify" : command;
    evidence_.filter = text_in(report, "filter");
    evidence_.seed_shift = report.value("seed_shift", std::uint64_t{0});
    if (report.contains("shard") && !report.at("shard").is_null())
      evidence_.shard = {report["shard"].at("index").get<int>(), report["shard"].at("of").get<int>()};
    evidence_.hits = hits_in(report, true);
    const Json& counts = report.at("counts");
    if (counts.value("VACUOUS", 0) == 0 && counts.value("VACUOUS_DECLARED", 0) > 0)
      declared_ = name_of(Status::vacuous);
    for (const Json& check : report.at("checks")) evidence_.checks.push_back(check_in(file, check));
  }

  // A time of a wrong answer measures nothing.
  static void expect_right(const std::string& file, const Json& checks, const char* name) {
    for (const Json& check : checks)
      if (const std::string status = text_in(check, "status"); status != name_of(Status::pass))
        throw InputError(file, text_in(check, name), "a benchmark whose own checks PASS", status);
  }

  void take_commit(const std::string& file, const Json& report) {
    // What a changed tree measured is of no commit.
    const std::string commit = commit_of(report) + (is_dirty(report) ? "-dirty" : "");
    if (!evidence_.figures.empty() && commit != evidence_.figures_commit)
      throw InputError(file, "", "benchmarks of one commit, " + evidence_.figures_commit, commit);
    evidence_.figures_commit = commit;
  }

  void add_stages(const Json& stages, const std::string& size, std::int64_t blocks) {
    for (const Json& stage : stages)
      evidence_.figures.push_back({text_in(stage, "arm"), text_in(stage, "stage") + size,
                                   text_in(stage, "route"), blocks, stage.at("median_ms").get<double>(),
                                   stage.at("min_ms").get<double>(), stage.at("max_ms").get<double>()});
  }

  void add_attention_bench(const std::string& file, const Json& report) {
    take_commit(file, report);
    expect_right(file, report.at("samples"), "scene");
    for (const Json& scene : report.at("scenes")) {
      expect_right(file, scene.at("checks"), "name");
      add_stages(scene.at("stages"),
                 fmt::format(", {} tokens, {}", count_in(scene, "tokens"), text_in(scene, "pattern")), 0);
    }
  }

  void add_selection_bench(const std::string& file, const Json& report) {
    take_commit(file, report);
    for (const Json& context : report.at("contexts")) {
      if (context.contains("checks")) expect_right(file, context.at("checks"), "name");
      const auto blocks = context.at("blocks").get<std::int64_t>();
      evidence_.identical_sets[fmt::format("{} blocks", blocks)] =
          context.at("share_of_rows_with_identical_sets").get<double>();
      const auto floor = [&](const char* name, const char* stage) {
        if (const double ms = context.value(name, 0.0); ms > 0)
          evidence_.figures.push_back({"floor", stage, "", blocks, ms, ms, ms});
      };
      floor("tensor_floor_ms", "one pass on the tensor cores");
      floor("two_kernel_floor_ms", "two kernels");
      add_stages(context.at("stages"), "", blocks);
    }
  }

  Evidence& evidence_;
  std::string declared_;
  bool verified_ = false;
};

}  // namespace

StatusCounts Evidence::counts() const {
  StatusCounts counts;
  for (const EvidenceCheck& check : checks) counts.add(check.status, check.expect_vacuous);
  return counts;
}

Evidence evidence_of(const std::vector<std::pair<std::string, Json>>& reports) {
  Evidence evidence;
  ReportReader reader(evidence);
  for (const auto& [file, report] : reports) reader.add(file, report);
  if (!reader.verified())
    throw InputError("no report of verify among the files: what was timed must be judged too");
  std::ranges::sort(evidence.checks, {}, &EvidenceCheck::name);
  evidence.static_basis = build_name();
  evidence.cells = cells_of(evidence);
  return evidence;
}

}  // namespace plumbline

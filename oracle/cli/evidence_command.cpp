#include "oracle/cli/commands.h"
#include "oracle/evidence/evidence_folder.h"
#include "oracle/evidence/html_report.h"
#include "oracle/evidence/json_fields.h"
#include "oracle/evidence/manifest.h"
#include "oracle/evidence/packet.h"
#include "oracle/report/output_file.h"
#include "oracle/run/routes.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

struct PackOptions {
  std::string folder;
  std::vector<std::string> reports;
  bool without_reports = false;
};

void add_pack(CLI::App& evidence) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* command = evidence.add_subcommand(
      "pack",
      "Make a folder of evidence of reports: one of verify --json, any of bench, plugin and mutants --json");
  command->add_option("-o,--output", options->folder, "The folder to make")->required();
  command->add_option("report", options->reports, "Reports")->required();
  command->add_flag("--without-reports", options->without_reports,
                    "Keep evidence.json alone: enough for gate and markdown, too little for html");
  command->callback([options] {
    std::vector<std::pair<std::string, Json>> reports;
    for (const std::string& path : options->reports) reports.emplace_back(path, read_json_file(path));
    write_evidence(options->folder, reports, !options->without_reports);
  });
}

void add_verify(CLI::App& evidence) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      evidence.add_subcommand("verify", "Check that no byte, file or name of a folder of evidence changed");
  command->add_option("folder", *folder, "The folder")->required();
  command->callback([folder] {
    const FolderDigest digest = verify_evidence_folder(*folder);
    read_evidence(*folder);
    fmt::print(
        "{} files as their manifest says; tamper-evident, not signed: compare its SHA-256 with the one you "
        "kept\n"
        "{}  {}\n",
        digest.files, digest.manifest, kManifestFile);
  });
}

struct MarkdownOptions {
  std::vector<std::string> folders;
  std::string before, after, output;
  std::size_t limit = PacketRequest().limit;
};

void add_markdown(CLI::App& evidence) {
  auto options = std::make_shared<MarkdownOptions>();
  CLI::App* command = evidence.add_subcommand(
      "markdown", "The packet of a pull request: path coverage, routes before and after, benchmark arms");
  command->add_option("folder", options->folders, "Folders of evidence")->required();
  command->add_option("--before", options->before, "Route snapshot (plumbline routes snapshot)")->required();
  command->add_option("--after", options->after, "Route snapshot")->required();
  command->add_option("-o,--output", options->output, "The file to write (default: standard output)");
  command->add_option("--limit", options->limit, "Bytes at most; whole rows are left out")
      ->capture_default_str();
  command->callback([options] {
    PacketRequest request;
    for (const std::string& folder : options->folders)
      request.runs.push_back({std::filesystem::path(folder).filename().string(), read_evidence(folder)});
    request.before = read_snapshot(options->before);
    request.after = read_snapshot(options->after);
    request.limit = options->limit;
    const std::string text = packet_markdown(request);
    if (options->output.empty()) return fmt::print("{}", text);
    OutputFile(options->output).write(text);
  });
}

struct HtmlOptions {
  std::vector<std::string> folders;
  std::string output;
};

void add_html(CLI::App& evidence) {
  auto options = std::make_shared<HtmlOptions>();
  CLI::App* command = evidence.add_subcommand("html", "One page of what several machines showed");
  command->add_option("folder", options->folders, "Folders of evidence")->required();
  command->add_option("-o,--output", options->output, "The file to write")->required();
  command->callback([options] {
    const OutputFile file(options->output);
    file.write(html_report(read_html_request(options->folders)));
  });
}

}  // namespace

void add_evidence_command(CLI::App& app) {
  CLI::App* evidence =
      app.add_subcommand("evidence", "Folders of evidence: what ran where, and what it showed");
  evidence->require_subcommand(1);
  add_pack(*evidence);
  add_verify(*evidence);
  add_markdown(*evidence);
  add_html(*evidence);
}

}  // namespace plumbline

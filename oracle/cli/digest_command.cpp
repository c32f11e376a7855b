#include "fixtures/error.h"
#include "oracle/cli/commands.h"
#include "oracle/replay/digest.h"
#include "oracle/report/output_file.h"
#include "oracle/report/report_json.h"
#include "oracle/run/golden_checks.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

struct DigestCommand {
  std::string fixtures = default_fixtures(), profile, json;
  int threads = 0;

  void run() const {
    std::optional<OutputFile> output;
    if (!json.empty() && json != "-") output.emplace(json);
    if (threads > 0) omp_set_num_threads(threads);
    if (!profile.empty() && find_rounding_profile(profile) == nullptr)
      throw InputError(fmt::format("profile '{}': there is none of that name", profile));
    const std::vector<std::string> captures = model_captures_in(fixtures);
    Json report = {{"schema", 1}, {"command", "digest"}, {"captures", captures}, {"sha256", Json::object()}};
    for (const RoundingProfile& one : rounding_profiles()) {
      if (!profile.empty() && profile != one.name) continue;
      const std::string digest = outputs_digest(captures, one);
      report["sha256"][std::string(one.name)] = digest;
      if (json != "-") fmt::print("{:<10} {}\n", one.name, digest);
    }
    if (output) output->write(to_text(report));
    if (json == "-") fmt::print("{}", to_text(report));
  }
};

}  // namespace

void add_digest_command(CLI::App& app) {
  auto digest = std::make_shared<DigestCommand>();
  CLI::App* command = app.add_subcommand(
      "digest", "SHA-256 of the reference's own logits and states on the golden model captures, per profile");
  command->add_option("--fixtures", digest->fixtures, "Folder of captures")->capture_default_str();
  command->add_option("--profile", digest->profile, "Only this rounding profile");
  command->add_option("--json", digest->json, "Write the digests to this file (-: standard output)");
  command->add_option("--threads", digest->threads, "Threads to use (default: OMP_NUM_THREADS)")
      ->check(CLI::Range(1, 4096));
  command->callback([digest] { digest->run(); });
}

}  // namespace plumbline

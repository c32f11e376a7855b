#include "oracle/run/golden_checks.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/capture/model_capture.h"
#include "fixtures/error.h"
#include "fixtures/sha256.h"
#include "oracle/run/attention_capture_checks.h"
#include "oracle/run/golden_manifest.h"
#include "oracle/run/judge_capture.h"
#include "oracle/run/repro.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

void judge_golden(const std::string& path, int threads, CheckResult& check) {
  const CaptureInfo info = read_capture_info(path);
  if (info.kind == CaptureKind::model) {
    IndexerOptions options;
    options.threads = threads;
    check.indexer = judge_indexer(ModelCapture(path), options);
  } else if (info.kind == CaptureKind::attention_paged) {
    check.attention = judge_attention_capture(path, {});
  } else {
    JudgeCaptureOptions options;
    options.threads = threads;
    check.selections = judge_capture(path, options);
    if (check.selections.empty()) {
      check.status = Status::vacuous;
      check.reason = "no recorded selection";
    }
  }
  conclude(check);
}

void replay_golden(const std::string& path, int threads, CheckResult& check) {
  ReplayRequest request;
  request.threads = threads;
  request.judge_selections = false;  // the golden's own check does
  check.replay = replay_capture(path, request);
  conclude(check);
}

bool is_model_capture(const std::string& path) {
  try {
    return read_capture_info(path).kind == CaptureKind::model;
  } catch (const InputError&) {
    return false;  // the golden's own check says what is wrong with it
  }
}

// Whether the file is the one the manifest speaks of.
void check_identity(const std::string& path, const GoldenEntry& entry) {
  if (!fs::exists(path)) throw InputError(path, "", "the capture that the manifest lists", "no such file");
  if (const auto bytes = static_cast<std::int64_t>(fs::file_size(path)); bytes != entry.bytes)
    throw InputError(path, "", fmt::format("{} bytes", entry.bytes), fmt::format("{}", bytes));
  const std::string found = sha256_of_file(path);
  if (found != entry.sha256) throw InputError(path, "", "SHA-256 " + entry.sha256, found);
}

}  // namespace

std::string default_fixtures() { return PLUMBLINE_SOURCE_DIR "/fixtures/golden"; }

std::set<std::string> captures_in(const std::string& folder) {
  std::error_code error;
  std::set<std::string> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".h5") files.insert(at->path().filename().string());
  if (error) throw InputError(folder, "", "a folder of captures", error.message());
  return files;
}

std::vector<PlannedCheck> golden_checks(const std::string& folder, int threads) {
  std::set<std::string> files = captures_in(folder);
  const std::string manifest_path = (fs::path(folder) / "manifest.json").string();
  const bool has_manifest = fs::exists(manifest_path);
  const GoldenManifest manifest = has_manifest ? read_manifest(manifest_path) : GoldenManifest{};
  for (const auto& [name, entry] : manifest) files.insert(name);
  if (files.empty()) throw InputError(folder, "", "captures (*.h5)", "none");

  const auto planned = [&](const std::string& kind, const std::string& file) {
    PlannedCheck check;
    check.name = kind + "/" + fs::path(file).stem().string();
    check.source = (fs::path(folder) / file).string();
    check.subject = "recorded";
    std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(check.name)};
    if (folder != default_fixtures()) words.insert(words.end(), {"--fixtures", folder});
    check.repro = repro_line(words, "file " + check.source);
    return check;
  };
  std::vector<PlannedCheck> checks;
  for (const std::string& file : files) {
    PlannedCheck check = planned("golden", file);
    std::optional<GoldenEntry> entry;
    if (const auto found = manifest.find(file); found != manifest.end()) entry = found->second;
    check.expect_vacuous = entry && entry->expect_vacuous;
    check.run = [path = check.source, entry, has_manifest, threads](CheckResult& result) {
      if (entry) check_identity(path, *entry);
      judge_golden(path, threads, result);
      result.answers.inputs = entry ? entry->sha256 : sha256_of_file(path);
      if (has_manifest && !entry && result.status == Status::pass)
        result.reason = "not in the manifest; judged all the same";
    };
    checks.push_back(std::move(check));
  }
  for (const std::string& file : files) {
    PlannedCheck check = planned("replay", file);
    if (!is_model_capture(check.source)) continue;
    check.run = [path = check.source, threads](CheckResult& result) { replay_golden(path, threads, result); };
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace plumbline

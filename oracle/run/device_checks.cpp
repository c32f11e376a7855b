#include "oracle/run/device_checks.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/error.h"
#include "oracle/run/family_cases.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/repro.h"
#include "oracle/run/route_trial.h"
#include "oracle/run/variation_trial.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace plumbline {
namespace {

PlannedCheck plan(const DeviceSubjects& device, const DeviceRoute& route, const std::string& name,
                  const std::string& source, const std::vector<std::string>& options) {
  PlannedCheck check;
  check.name = fmt::format("cuda/{}/{}", route.name, name);
  check.kind = CheckKind::device;
  check.source = source;
  check.subject = "cuda:" + route.name;
  std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(check.name)};
  words.insert(words.end(), options.begin(), options.end());
  check.repro = repro_line(words, source, {route.name + " (forced)", device.device});
  return check;
}

CaseSpec in_the_real_geometry(CaseSpec spec) {
  constexpr SelectGeometry kReal;
  spec.geometry.index_heads = kReal.index_heads;
  spec.geometry.index_head_dim = kReal.index_head_dim;
  return spec;
}

// Selections are what a route can be put to; whatever else lies there, damaged files too, golden_checks()
// judges.
struct SelectionCapture {
  std::string path;
  CaptureKind kind;
};
std::vector<SelectionCapture> selection_captures(const std::string& folder) {
  std::vector<SelectionCapture> captures;
  for (const std::string& file : captures_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    try {
      const CaptureKind kind = read_capture_info(path).kind;
      if (kind == CaptureKind::select || kind == CaptureKind::select_paged) captures.push_back({path, kind});
    } catch (const InputError&) {
    }
  }
  return captures;
}

bool takes(const DeviceRoute& route, const FamilyCase& one) {
  if (route.several_requests) return one.spec.kind == CaseSpec::Kind::paged && one.spec.requests >= 2;
  return !route.on_given_scores || (one.gives_scores && one.spec.kind == CaseSpec::Kind::select);
}

// Without variants a paged step is not asked for in any other way.
bool can_vary(const DeviceRoute& route, const FamilyCase& one) {
  return takes(route, one) && (one.spec.kind == CaseSpec::Kind::select || !route.variants.empty());
}

}  // namespace

std::vector<PlannedCheck> device_checks(const DeviceSubjects& device, const std::string& fixtures,
                                        std::uint64_t seed_shift, int threads) {
  const std::vector<SelectionCapture> goldens = selection_captures(fixtures);
  std::vector<std::string> folder, seed;  // the options that repeat a check
  if (fixtures != default_fixtures()) folder = {"--fixtures", fixtures};
  if (seed_shift != 0) seed = {"--seed", std::to_string(seed_shift)};
  // Checks outlive the caller's description of the device.
  const auto shared = std::make_shared<const DeviceSubjects>(device);
  std::vector<PlannedCheck> checks;
  for (const DeviceRoute& route : shared->routes) {
    for (const auto& [path, kind] : goldens) {
      if (route.on_given_scores) continue;  // goldens record the scores of others
      if (route.several_requests && kind == CaptureKind::select) continue;
      checks.push_back(
          plan(device, route, "golden/" + std::filesystem::path(path).stem().string(), path, folder));
      checks.back().run = [shared, &route, file = path, threads](CheckResult& check) {
        RouteTrial(*shared, route, threads).judge(file, check);
      };
    }
    const std::vector<FamilyCase> cases = family_cases(seed_shift);
    std::vector<FamilyCase> judged = cases;
    std::ranges::copy(wide_cases(seed_shift), std::back_inserter(judged));
    for (const FamilyCase& one : judged) {
      if (!takes(route, one)) continue;
      const CaseSpec spec = in_the_real_geometry(one.spec);
      checks.push_back(plan(device, route, one.name, format_case(spec), seed));
      checks.back().run = [shared, &route, spec, threads](CheckResult& check) {
        RouteTrial(*shared, route, threads).judge(spec, check);
      };
    }
    for (const FamilyCase& one : cases) {
      if (!can_vary(route, one)) continue;
      const CaseSpec spec = in_the_real_geometry(one.spec);
      checks.push_back(plan(device, route, "varied/" + one.name, format_case(spec), seed));
      checks.back().run = [shared, &route, spec, threads](CheckResult& check) {
        VariationTrial(*shared, route, threads).judge(spec, check);
      };
    }
  }
  return checks;
}

}  // namespace plumbline

#include "oracle/replay/explain.h"

#include "oracle/replay/replay_report.h"
#include "oracle/replay/teacher_forced.h"

#include <algorithm>
#include <tuple>

namespace plumbline {
namespace {

void add(const std::string& profile, const OperationSummary& summary, std::vector<OperationFit>& fits) {
  auto fit = std::ranges::find(fits, summary.operation, &OperationFit::operation);
  if (fit == fits.end()) {
    fit = fits.insert(fits.end(), OperationFit{});
    fit->operation = summary.operation;
    fit->elements = summary.elements;
  }
  fit->shares.emplace_back(profile, summary.bit_equal_share());
  if (summary.beyond_bound == 0) fit->within_bound.push_back(profile);
}

void name_best(OperationFit& fit) {
  double largest = 0;
  for (const auto& [profile, share] : fit.shares) largest = std::max(largest, share);
  for (const auto& [profile, share] : fit.shares)
    if (share == largest) fit.best.push_back(profile);
}

}  // namespace

ExplainReport explain_capture(const ModelCapture& capture) {
  ExplainReport report;
  report.file = capture.info().path;
  const ReplayModel model = load_replay_model(capture);
  for (const RoundingProfile& profile : rounding_profiles()) {
    ProfileFit fit;
    fit.profile = profile.name;
    double sum = 0;
    for (const OperationSummary& summary :
         summarise(TeacherForcedReplay(capture, profile, model).run(), false)) {
      add(fit.profile, summary, report.operations);
      ++fit.operations;
      fit.operations_within += summary.beyond_bound == 0 ? 1 : 0;
      sum += summary.bit_equal_share();
    }
    fit.mean_share = fit.operations == 0 ? 0 : sum / static_cast<double>(fit.operations);
    report.profiles.push_back(fit);
  }
  for (OperationFit& fit : report.operations) name_best(fit);
  std::ranges::stable_sort(report.profiles, [](const ProfileFit& a, const ProfileFit& b) {
    return std::tuple(a.mean_share, a.operations_within) > std::tuple(b.mean_share, b.operations_within);
  });
  return report;
}

}  // namespace plumbline

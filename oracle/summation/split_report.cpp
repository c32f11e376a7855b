#include "oracle/summation/split_report.h"

#include <fmt/format.h>

namespace plumbline {

std::string trials_text(const SplitTrials& trials) {
  std::string text =
      fmt::format("{}: {} cases, {} plans compared with equal ones, {} of {} planted faults caught\n",
                  name_of(trials.reduction), trials.cases, trials.equal_compared, trials.faults_caught,
                  trials.faults_planted);
  for (const SplitTally& tally : trials.by_data)
    text += fmt::format(
        "  {:<12} {:>9} results, {} beyond the bound, {} beyond its companion; worst {:6.2f} % and {:6.2f} "
        "%\n",
        name_of(tally.data), tally.elements, tally.beyond, tally.beyond_likely, 100 * tally.share,
        100 * tally.likely_share);
  for (const std::string& failure : trials.failures) text += "  FAIL " + failure + "\n";
  return text;
}

Json trials_json(const SplitTrials& trials) {
  Json json = {{"reduction", name_of(trials.reduction)},
               {"cases", trials.cases},
               {"equal_plans_compared", trials.equal_compared},
               {"faults_planted", trials.faults_planted},
               {"faults_caught", trials.faults_caught},
               {"failures", trials.failures},
               {"numbers", Json::array()}};
  for (const SplitTally& tally : trials.by_data)
    json["numbers"].push_back({{"name", name_of(tally.data)},
                               {"cases", tally.cases},
                               {"results", tally.elements},
                               {"beyond_bound", tally.beyond},
                               {"beyond_likely", tally.beyond_likely},
                               {"largest_share_of_bound", tally.share},
                               {"largest_share_of_likely", tally.likely_share}});
  return json;
}

Json ranks_json(const std::vector<RankOutcome>& outcomes) {
  Json json = Json::array();
  for (const RankOutcome& outcome : outcomes)
    json.push_back({{"projection", outcome.projection},
                    {"ranks", outcome.ranks},
                    {"order", name_of(outcome.order)},
                    {"partial", name_of(outcome.partial)},
                    {"tokens", outcome.tokens},
                    {"elements", outcome.elements},
                    {"beyond_bound", outcome.beyond},
                    {"largest_share_of_bound", outcome.share},
                    {"elements_that_differ_by_rank", outcome.ranks_differ},
                    {"selects", outcome.selects},
                    {"selections_differ", outcome.selections_differ},
                    {"selections_parted", outcome.selections_parted}});
  return json;
}

Json sweep_json(const std::vector<SplitPoint>& points) {
  Json json = Json::array();
  for (const SplitPoint& point : points)
    json.push_back({{"reduction", name_of(point.reduction)},
                    {"numbers", name_of(point.data)},
                    {"terms", point.terms},
                    {"splits", point.splits},
                    {"rows", point.rows},
                    {"ulp_p99", point.ulp_p99},
                    {"ulp_max", point.ulp_max},
                    {"bound_ulp", point.bound_ulp},
                    {"likely_ulp", point.likely_ulp},
                    {"largest_share_of_bound", point.share},
                    {"largest_share_of_likely", point.likely_share},
                    {"beyond_bound", point.beyond},
                    {"exact_zeros", point.zeros}});
  return json;
}

Json hunts_json(const std::vector<FaultHunt>& hunts) {
  Json json = Json::array();
  for (const FaultHunt& hunt : hunts)
    json.push_back({{"reduction", name_of(hunt.reduction)},
                    {"fault", describe(hunt.fault)},
                    {"hunts", hunt.hunts},
                    {"found_in_first_case", hunt.first_case},
                    {"most_cases", hunt.most_cases},
                    {"missed", hunt.missed}});
  return json;
}

}  // namespace plumbline

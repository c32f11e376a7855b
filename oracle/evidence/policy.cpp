#include "oracle/evidence/policy.h"

#include "oracle/evidence/json_fields.h"

#include <chrono>
#include <cstdio>

namespace plumbline {

bool is_date(const std::string& text) {
  int year = 0, month = 0, day = 0, end = 0;
  if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 ||
      end != 10)
    return false;
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

Policy read_policy(const std::string& path) { return policy_from_json(read_json_file(path), path); }

Policy policy_from_json(const Json& json, const std::string& file) {
  JsonFields fields(json, file);
  fields.expect_schema("plumbline-policy", 1);
  Policy policy;
  fields.each("levels", [&](JsonFields& one) {
    policy.levels.push_back({one.text("path"), one.text("capability"), parse_level(one.text("level"))});
  });
  fields.each("routes_hit", [&](JsonFields& one) {
    policy.hits.push_back({one.text("route"), one.text("capability"), one.count("at_least")});
    if (policy.hits.back().at_least == 0) one.refuse("at_least", "1 or more", "0");
  });
  fields.each("ratios", [&](JsonFields& one) {
    Policy::Ratio& ratio = policy.ratios.emplace_back();
    ratio.capability = one.text("capability");
    ratio.arm = one.text("arm");
    ratio.over = one.text("over");
    ratio.stage = one.text("stage");
    ratio.blocks = one.count("blocks");
    ratio.noise_percent = one.number("noise_percent");
    if (one.has("at_most")) ratio.at_most = one.number("at_most");
    if (ratio.noise_percent < 0) one.refuse("noise_percent", "0 or more", "less");
  });
  fields.each("known_failures", [&](JsonFields& one) {
    Policy::KnownFailure& known = policy.known_failures.emplace_back();
    known.check = one.text("check");
    known.capability = one.text("capability");
    const std::string status = one.text("status");
    known.status = parse_status(status).value_or(Status::pass);
    if (known.status != Status::fail && known.status != Status::route_missed &&
        known.status != Status::vacuous && known.status != Status::error)
      one.refuse("status", "FAIL, ROUTE_MISSED, VACUOUS or ERROR", status);
    known.until = one.text("until");
    if (!is_date(known.until)) one.refuse("until", "a day, YYYY-MM-DD", known.until);
    known.reason = one.text("reason");
  });
  fields.finish();
  return policy;
}

}  // namespace plumbline

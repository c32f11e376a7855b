#include "oracle/selftest/accusations.h"

#include <algorithm>
#include <utility>

namespace plumbline::selftest {

void accuse(Trial& trial, const std::string& check, std::string what) {
  if (std::ranges::none_of(trial.accusations, [&](const Accusation& known) { return known.check == check; }))
    trial.accusations.push_back({check, std::move(what)});
}

void accuse_by_verdict(Trial& trial, const std::optional<VerdictCounts>& counts, const std::string& what) {
  if (!counts) return;
  constexpr std::pair<Verdict, const char*> kKinds[] = {{Verdict::structural, "structure"},
                                                        {Verdict::value_error, "value"},
                                                        {Verdict::tie_only, "ties"},
                                                        {Verdict::order_only, "order"}};
  for (const auto& [verdict, check] : kKinds)
    if ((*counts)[verdict] > 0) accuse(trial, check, what);
}

}  // namespace plumbline::selftest

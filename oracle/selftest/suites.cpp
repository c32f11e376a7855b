#include "oracle/selftest/mutant.h"

namespace plumbline::selftest {

std::vector<Suite> suites(const std::string& goldens) {
  const std::string model = goldens + "/epsilon_fp32.h5";
  return {selector_suite(), scorer_suite(),    paged_suite(),      judge_suite(),
          dispatch_suite(), attention_suite(), model_suite(model), cache_suite(model)};
}

}  // namespace plumbline::selftest

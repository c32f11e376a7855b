#include "oracle/selftest/mutant.h"

namespace plumbline::selftest {

std::vector<Suite> suites(const std::string& goldens) {
  return {selector_suite(), scorer_suite(),   paged_suite(),
          judge_suite(),    dispatch_suite(), model_suite(goldens + "/tiny_fp32.h5")};
}

}  // namespace plumbline::selftest

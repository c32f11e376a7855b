#include "oracle/report/markdown.h"

#include "tests/oracle/report/sample_report.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Markdown, OfARunIsThisText) {
  EXPECT_EQ(
      markdown_from_json(verify_json(sample_run())),
      R"(## plumbline verify: NOT VERIFIED: 1 PASS, 1 FAIL, 1 ERROR, 1 VACUOUS (declared), 1 NOT_EXECUTED

| check | what | rows | verdicts | tied | status |
|---|---|--:|---|--:|---|
| golden/good | gpu | 96 | canonical 96 | 11 | PASS |
|  | cpu | 96 | canonical 44, order\_only 12, tie\_only 11, rounding 29 | 11 |  |
| golden/bad | gpu | 96 | canonical 95, value\_error 1 | 11 | FAIL |
| golden/short |  |  |  |  | VACUOUS (declared) |
| golden/broken |  |  |  |  | ERROR |
| cuda |  |  |  |  | NOT\_EXECUTED |

### What went wrong

- **FAIL** golden/bad: 1 of 96 rows breaks within\_error
  - row 17: end\_to\_end value\_error: block 9 \<outranks> block 3 \& was left out; claimed 3 0x1p+0; missed 9 0x1.8p+0
  - (2 more left out)

  ```
  plumbline verify --filter '^golden/bad$'
  ```
- **ERROR** golden/broken: SHA-256 differs from the manifest

  ```
  plumbline verify --filter '^golden/broken$'
  ```

### Not executed here

- cuda: needs a CUDA device

Example CPU, 2 threads, avx2, g++ 12.2.0, build 0.1.0+abc
)");
}

TEST(Markdown, IsTheSameFromAStoredReport) {
  const Json report = verify_json(sample_run());
  EXPECT_EQ(markdown_from_json(Json::parse(to_text(report))), markdown_from_json(report));
}

TEST(Markdown, AFileNameCannotBreakTheTable) {
  RunReport run;
  run.checks.emplace_back().name = "a|b\nc";
  EXPECT_NE(markdown_from_json(verify_json(run)).find("| a\\|b?c |"), std::string::npos);
}

}  // namespace
}  // namespace plumbline

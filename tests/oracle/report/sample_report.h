#pragma once

#include "oracle/report/run_report.h"

namespace plumbline {

/// A small run with one check of every kind of outcome, for the tests of the reporters.
inline RunReport sample_run() {
  RunReport run;
  run.machine = {"Example CPU", 2, "avx2", "g++ 12.2.0", "0.1.0+abc"};
  const auto check = [&](const char* name, CheckKind kind, const char* source, Status status,
                         const char* reason) -> CheckResult& {
    CheckResult& result = run.checks.emplace_back();
    result.name = name;
    result.kind = kind;
    result.source = source;
    result.subject = kind == CheckKind::golden ? "recorded" : "reference";
    result.status = status;
    result.reason = reason;
    result.repro = std::string("plumbline verify --filter '^") + name + "$'";
    result.seconds = 0.25;
    return result;
  };
  const auto selection = [](const char* tag, std::initializer_list<std::pair<Verdict, int>> counts) {
    JudgedSelection report;
    report.case_name = "select/0000";
    report.tag = tag;
    report.scores_tag = "gpu";
    report.error_model = "float32_any_order";
    report.selector.emplace();
    report.end_to_end.emplace();
    for (const auto& [verdict, rows] : counts)
      for (int i = 0; i < rows; ++i, ++report.rows) {
        report.selector->add(verdict == Verdict::rounding ? Verdict::canonical : verdict);
        report.end_to_end->add(verdict);
      }
    report.census.rows = report.rows;
    report.census.has_exact = true;
    report.census.rows_selecting = report.rows - 6;
    report.census.rows_tied_at_cutoff = 11;
    report.census.largest_tie_class = 7;
    report.census.rows_zero_plateau = 2;
    return report;
  };

  CheckResult& good = check("golden/good", CheckKind::golden, "fixtures/golden/good.h5", Status::pass, "");
  good.selections.push_back(selection("gpu", {{Verdict::canonical, 96}}));
  good.selections.push_back(selection("cpu", {{Verdict::canonical, 44},
                                              {Verdict::order_only, 12},
                                              {Verdict::tie_only, 11},
                                              {Verdict::rounding, 29}}));
  CheckResult& bad = check("golden/bad", CheckKind::golden, "fixtures/golden/bad.h5", Status::fail,
                           "1 of 96 rows breaks within_error");
  JudgedSelection wrong = selection("gpu", {{Verdict::canonical, 95}, {Verdict::value_error, 1}});
  wrong.status = Status::fail;
  wrong.witnesses.push_back({17, Verdict::value_error, "end_to_end", 3, 9, "0x1p+0", "0x1.8p+0", "0x1p-1",
                             0.5, 1e-6, "block 9 <outranks> block 3 & was left out"});
  wrong.witnesses_left_out = 2;
  bad.selections.push_back(wrong);
  check("golden/short", CheckKind::golden, "fixtures/golden/short.h5", Status::vacuous,
        "no row has more blocks than it may select")
      .expect_vacuous = true;
  check("golden/broken", CheckKind::golden, "fixtures/golden/broken.h5", Status::error,
        "SHA-256 differs from the manifest");
  check("cuda", CheckKind::device, "", Status::not_executed, "needs a CUDA device");
  return run;
}

}  // namespace plumbline

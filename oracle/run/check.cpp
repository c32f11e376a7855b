#include "oracle/run/check.h"

#include "fixtures/subject.h"

#include <chrono>
#include <exception>

namespace plumbline {
namespace {

void worsen(CheckResult& check, Status status, const std::string& reason) {
  const bool worse = status == Status::fail ? check.status != Status::fail
                                            : status == Status::vacuous && check.status == Status::pass;
  if (!worse) return;
  check.status = status;
  check.reason = reason;
}

}  // namespace

void conclude(CheckResult& check) {
  for (const JudgedSelection& selection : check.selections) worsen(check, selection.status, selection.reason);
  if (check.indexer) worsen(check, check.indexer->status, check.indexer->reason);
  for (const AttentionReport& one : check.attention) worsen(check, one.status, one.reason);
  if (check.replay) worsen(check, check.replay->status, check.replay->reason);
  if (check.proof) worsen(check, check.proof->status, check.proof->reason);
}

CheckResult run_check(const PlannedCheck& planned) {
  CheckResult check;
  check.name = planned.name;
  check.kind = planned.kind;
  check.source = planned.source;
  check.subject = planned.subject;
  check.expect_vacuous = planned.expect_vacuous;
  check.repro = planned.repro;
  const auto start = std::chrono::steady_clock::now();
  try {
    planned.run(check);
    if (check.expect_vacuous && check.status == Status::pass) {
      check.status = Status::error;
      check.reason =
          "the manifest declares VACUOUS, but something was tested: the declaration is out of date";
    }
  } catch (const UnsupportedCase& unsupported) {
    check.status = Status::unsupported;
    check.reason = unsupported.what();
  } catch (const RouteMissed& missed) {
    check.status = Status::route_missed;
    check.reason = missed.what();
  } catch (const std::exception& error) {
    check.status = Status::error;
    check.reason = error.what();
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return check;
}

}  // namespace plumbline

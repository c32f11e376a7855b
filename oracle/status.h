#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumbline {

/// Outcome of a check (DESIGN.md, Words). Only `pass` counts as verified.
enum class Status : std::uint8_t {
  pass,          ///< executed, everything compared, contract kept
  fail,          ///< a wrong answer, with a witness
  route_missed,  ///< numbers agree but the expected branch did not fire
  vacuous,       ///< nothing was really tested (every row shorter than k, all outputs zero…)
  unsupported,   ///< the subject says it cannot serve this case
  not_executed,  ///< needs a device this machine lacks
  error,         ///< the check itself broke
};

/// "PASS", "ROUTE_MISSED", …
std::string_view name_of(Status status);

/// The status of that name; nothing for another word.
std::optional<Status> parse_status(std::string_view name);

/// Exit code of a run: 1 if any is fail, route_missed, undeclared vacuous or error; 3 if nothing was executed
/// (no pass and nothing that failed); else 0. Code 2 (bad usage or input) is decided elsewhere.
struct StatusCounts {
  std::int64_t pass = 0, fail = 0, route_missed = 0, vacuous = 0, vacuous_declared = 0, unsupported = 0,
               not_executed = 0, error = 0;
  void add(Status status, bool declared_vacuous = false);
  int exit_code() const;
};

}  // namespace plumbline

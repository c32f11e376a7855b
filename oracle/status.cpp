#include "oracle/status.h"

namespace plumbline {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::pass:
      return "PASS";
    case Status::fail:
      return "FAIL";
    case Status::route_missed:
      return "ROUTE_MISSED";
    case Status::vacuous:
      return "VACUOUS";
    case Status::unsupported:
      return "UNSUPPORTED";
    case Status::not_executed:
      return "NOT_EXECUTED";
    case Status::error:
      return "ERROR";
  }
  return "?";
}

std::optional<Status> parse_status(std::string_view name) {
  for (const Status status : {Status::pass, Status::fail, Status::route_missed, Status::vacuous,
                              Status::unsupported, Status::not_executed, Status::error})
    if (name == name_of(status)) return status;
  return std::nullopt;
}

void StatusCounts::add(Status status, bool declared_vacuous) {
  switch (status) {
    case Status::pass:
      ++pass;
      break;
    case Status::fail:
      ++fail;
      break;
    case Status::route_missed:
      ++route_missed;
      break;
    case Status::vacuous:
      ++(declared_vacuous ? vacuous_declared : vacuous);
      break;
    case Status::unsupported:
      ++unsupported;
      break;
    case Status::not_executed:
      ++not_executed;
      break;
    case Status::error:
      ++error;
      break;
  }
}

int StatusCounts::exit_code() const {
  if (fail + route_missed + vacuous + error > 0) return 1;
  return pass > 0 ? 0 : 3;
}

}  // namespace plumbline

#pragma once

#include "oracle/report/report_json.h"

#include <string>

namespace plumbline {

/// JUnit XML: one testcase per check (verify) or selection (select). FAIL and ROUTE_MISSED are failures;
/// ERROR and an undeclared VACUOUS are errors, since dashboards hide what is skipped; NOT_EXECUTED,
/// UNSUPPORTED and a declared VACUOUS are skipped with their reason.
std::string junit_from_json(const Json& report);

/// `text` as XML character data or attribute value. Characters XML 1.0 cannot hold become '?'.
std::string xml_escaped(const std::string& text);

}  // namespace plumbline

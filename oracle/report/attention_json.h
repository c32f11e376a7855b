#pragma once

#include "oracle/judge/judge_attention.h"
#include "oracle/report/report_json.h"
#include "oracle/report/report_lines.h"

#include <string>
#include <vector>

namespace plumbline {

/// An entry of a check's "attention".
Json attention_json(const AttentionReport& report);

/// Table lines of such an entry: the output, and the log-sum-exp where there is one.
std::vector<ReportLine> attention_lines(const Json& attention);

/// `plumbline attention FILE`: verify's JSON with another command, and the file.
Json attention_report(const RunReport& run, const std::string& file);

}  // namespace plumbline

#pragma once

#include "oracle/report/report_json.h"

#include <string>
#include <vector>

namespace plumbline {

// Parts of the page that are drawn from reports; each is empty where the reports have nothing of the kind.

/// How far each layer of a replay lies from its recording: columns along the layers.
std::string layers_html(const std::vector<Json>& reports);
/// Elements of a replay by their distance in ULP.
std::string ulp_html(const std::vector<Json>& reports);
/// What sparse attention uses of its bound.
std::string attention_html(const std::vector<Json>& reports);
/// Curves over the split count (bench split), trials of each reduction, sums over ranks.
std::string splits_html(const std::vector<Json>& reports);
/// Rows tied at the cutoff, case by case.
std::string ties_html(const std::vector<Json>& reports);
/// Least and median margin at the cutoff, case by case.
std::string margins_html(const std::vector<Json>& reports);
/// The planted faults (mutants --json): how many each suite kills, and which survive.
std::string mutants_html(const std::vector<Json>& reports);
/// What the benchmarks were to reach.
std::string goals_html(const std::vector<Json>& reports);

}  // namespace plumbline

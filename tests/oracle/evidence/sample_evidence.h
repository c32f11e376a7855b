#pragma once

#include "oracle/evidence/evidence.h"
#include "oracle/evidence/gate.h"

#include <string>

namespace plumbline {

inline const std::string kCommit = "5bc2bbf46d63";

inline EvidenceCheck sample_check(const std::string& name, const std::string& capability,
                                  const std::string& source) {
  EvidenceCheck check;
  check.name = name;
  check.capability = capability;
  check.source = source;
  check.subject = capability == "cpu" ? "reference" : "cuda";
  check.status = Status::pass;
  check.rows = 64;
  check.answers = {
      std::string(64, 'a'), std::string(64, 'b'), std::string(64, 'c'), {0x3f800000, 0x40000000}};
  return check;
}

/// A run of a machine without a device.
inline Evidence cpu_evidence() {
  Evidence evidence;
  evidence.tool = {"0.1.0", kCommit, false, "g++ 12.2.0", "Release -O2"};
  evidence.command = "plumbline verify";
  evidence.runner = {"Debian", "Example CPU", "avx2", 2};
  evidence.static_basis = "0.1.0+" + kCommit;
  evidence.checks = {sample_check("generated/ties", "cpu", "select:data=ties,seed=7"),
                     sample_check("golden/near", "cpu", "near.h5")};
  EvidenceCheck& absent = evidence.checks.emplace_back(sample_check("zz", "cpu", "every case"));
  absent.status = Status::not_executed;
  absent.reason = "no device";
  absent.answers = {};
  evidence.cells = cells_of(evidence);
  return evidence;
}

/// A run of a machine with one.
inline Evidence gpu_evidence(const std::string& capability = "9.0") {
  Evidence evidence = cpu_evidence();
  evidence.device = {"Example GPU", capability, "580.1", "13000", "13000", "130100", "device tags"};
  EvidenceCheck check = sample_check("cuda/score.paged+topk.lexicographic/generated/ties", capability,
                                     "select:data=ties,seed=9");
  check.arithmetic = "tensor_core:" + capability;
  check.hits = {{"score.paged", 4, 4}, {"topk.lexicographic", 2, 2}};
  evidence.checks.push_back(check);
  evidence.hits = {{"score.paged", 4, 4, {"score_paged_kernel"}},
                   {"topk.lexicographic", 2, 2, {"topk_kernel"}}};
  evidence.figures = {{"exact70", "whole", "score.paged+topk.persistent", 7250, 0.4, 0.39, 0.41},
                      {"family7x", "whole", "score.paged+topk.lexicographic.generic", 7250, 0.2, 0.19, 0.21}};
  evidence.figures_commit = kCommit;
  evidence.orders["score.persistent"] = "77aa";
  evidence.identical_sets["7250 blocks"] = 1;
  evidence.cells = cells_of(evidence);
  return evidence;
}

inline const EvidenceCell& cell_in(const std::vector<EvidenceCell>& cells, const std::string& path,
                                   const std::string& capability) {
  for (const EvidenceCell& cell : cells)
    if (cell.path == path && cell.capability == capability) return cell;
  throw std::runtime_error(path + " on " + capability + " is no cell");
}

}  // namespace plumbline

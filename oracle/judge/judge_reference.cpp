#include "oracle/judge/judge_reference.h"

#include "fixtures/error.h"
#include "oracle/judge/interval_scores.h"
#include "oracle/judge/proof.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <omp.h>

namespace plumbline {
namespace {

constexpr std::size_t kMaxFaults = 16;

/// Position of a float32 score in the order of a selection, read as sign and magnitude: ±0 meet at 0, NaN lie
/// beyond the infinities of their sign.
std::int64_t rank_of(const TensorView& scores, std::int64_t row, std::int64_t block) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, scores.at(row, block), sizeof bits);
  const auto magnitude = static_cast<std::int64_t>(bits % 0x80000000u);
  return bits >= 0x80000000u ? -magnitude : magnitude;
}

struct RowProof {
  enum class Basis : std::uint8_t { none, scores, exact } basis = Basis::none;
  bool without_exact_score = false;
  std::int64_t resolved_exactly = 0;
  std::string fault;
};

class ReferenceProver {
 public:
  ReferenceProver(const SelectInputs& inputs, const SelectOutputs& outputs)
      : inputs_(inputs), outputs_(outputs) {
    const Shape blocks_shape{inputs.rows, inputs.geometry.block_topk};
    if (outputs.blocks.dtype != DType::int32 || outputs.blocks.shape != blocks_shape) {
      throw InputError(fmt::format("selected blocks: expected i32 {}, found {} {}", to_string(blocks_shape),
                                   name_of(outputs.blocks.dtype), to_string(outputs.blocks.shape)));
    }
    const Shape scores_shape{inputs.rows, inputs.blocks};
    if (outputs.scores &&
        (outputs.scores->dtype != DType::float32 || outputs.scores->shape != scores_shape)) {
      throw InputError(fmt::format("returned scores: expected f32 {}, found {} {}", to_string(scores_shape),
                                   name_of(outputs.scores->dtype), to_string(outputs.scores->shape)));
    }
    if (!inputs.scores && inputs.index_query && inputs.index_key) exact_.emplace(inputs);
  }

  RowProof prove(std::int64_t row) const {
    const std::int32_t k = inputs_.geometry.block_topk;
    const std::int64_t visible = visible_of(inputs_, row);
    const auto entries = outputs_.blocks.as<std::int32_t>().subspan(static_cast<std::size_t>(row * k),
                                                                    static_cast<std::size_t>(k));
    const auto due = static_cast<std::size_t>(std::min<std::int64_t>(visible, k));
    RowProof proof;
    proof.without_exact_score = exact_ && !exact_->has_exact_scores(row);
    const auto padding = std::find_if(entries.begin() + static_cast<std::ptrdiff_t>(due), entries.end(),
                                      [](std::int32_t entry) { return entry != -1; });
    if (padding != entries.end()) {
      proof.fault = fmt::format("slot {} holds {}, where -1 is due", padding - entries.begin(), *padding);
      return proof;
    }

    std::optional<IntervalScores::Row> exact;
    std::function<int(std::int64_t, std::int64_t)> compare;
    if (inputs_.scores || (!has_exact(proof) && outputs_.scores)) {
      proof.basis = RowProof::Basis::scores;
      const TensorView scores = inputs_.scores ? *inputs_.scores : outputs_.scores->view();
      compare = [scores, row](std::int64_t a, std::int64_t b) {
        const std::int64_t x = rank_of(scores, row, a), y = rank_of(scores, row, b);
        return x < y ? -1 : static_cast<int>(x > y);
      };
    } else if (has_exact(proof)) {
      proof.basis = RowProof::Basis::exact;
      exact.emplace(*exact_, row);
      compare = [&exact](std::int64_t a, std::int64_t b) { return exact->compare(a, b); };
    } else if (visible > k) {
      return proof;
    }
    proof.fault = prove_canonical(entries.first(due), visible, k, compare).fault;
    if (exact) proof.resolved_exactly = exact->resolved_exactly();
    return proof;
  }

 private:
  bool has_exact(const RowProof& proof) const { return exact_ && !proof.without_exact_score; }

  const SelectInputs& inputs_;
  const SelectOutputs& outputs_;
  std::optional<IntervalScores> exact_;
};

void decide_status(ProofReport& report, std::int64_t selecting_proven) {
  const auto faults = static_cast<std::int64_t>(report.faults.size()) + report.faults_left_out;
  if (faults > 0) {
    report.status = Status::fail;
    report.reason = fmt::format("{} of {} rows are not the canonical selection; row {}: {}", faults,
                                report.rows, report.faults.front().row, report.faults.front().what);
    return;
  }
  report.status = Status::vacuous;
  if (report.rows == 0) {
    report.reason = "there are no rows";
  } else if (report.rows_selecting == 0) {
    report.reason = "no row sees more blocks than it may select";
  } else if (selecting_proven == 0) {
    report.reason = "no row that selects has a score to prove it on";
  } else {
    report.status = Status::pass;
  }
}

}  // namespace

ProofReport judge_reference(const SelectInputs& inputs, const SelectOutputs& outputs, int threads) {
  if (inputs.geometry.block_topk < 1) {
    throw InputError(fmt::format("block_topk: expected at least 1, found {}", inputs.geometry.block_topk));
  }
  const ReferenceProver prover(inputs, outputs);
  std::vector<RowProof> proofs(static_cast<std::size_t>(inputs.rows));
#pragma omp parallel for schedule(dynamic) num_threads(threads > 0 ? threads : omp_get_max_threads())
  for (std::int64_t row = 0; row < inputs.rows; ++row)
    proofs[static_cast<std::size_t>(row)] = prover.prove(row);

  ProofReport report;
  report.rows = inputs.rows;
  std::int64_t selecting_proven = 0;
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    const RowProof& proof = proofs[static_cast<std::size_t>(row)];
    const bool selects = visible_of(inputs, row) > inputs.geometry.block_topk;
    report.rows_selecting += selects;
    report.rows_without_exact_score += proof.without_exact_score;
    report.resolved_exactly += proof.resolved_exactly;
    if (!proof.fault.empty()) {
      if (report.faults.size() < kMaxFaults) {
        report.faults.push_back({row, proof.fault});
      } else {
        ++report.faults_left_out;
      }
    } else if (selects && proof.basis == RowProof::Basis::none) {
      ++report.rows_unproven;
    } else {
      ++report.rows_proven;
      selecting_proven += selects;
    }
  }
  decide_status(report, selecting_proven);
  return report;
}

}  // namespace plumbline

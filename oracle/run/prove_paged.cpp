#include "oracle/run/prove_paged.h"

#include "fixtures/error.h"
#include "reference/model/page_table.h"
#include "reference/model/request_rows.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::size_t kMaxFaults = 16;

using Entries = std::span<const std::int32_t>;

// The keys of one request without those behind unmapped pages.
struct MappedKeys {
  MappedKeys(const PagedSelectInputs& inputs, std::int64_t request, std::int64_t blocks)
      : logical(gather_keys(inputs, request, blocks)), before(static_cast<std::size_t>(blocks) + 1, 0) {
    for (std::size_t block = 0; block < logical.valid.size(); ++block)
      before[block + 1] = before[block] + (logical.valid[block] != 0 ? 1 : 0);
    const std::int64_t dim = logical.keys.extent(1);
    keys = Tensor(logical.keys.dtype, {before.back(), dim});
    const std::size_t bytes = static_cast<std::size_t>(dim) * size_of(keys.dtype);
    for (std::size_t block = 0; block < logical.valid.size(); ++block)
      if (mapped(static_cast<std::int64_t>(block)))
        std::memcpy(keys.bytes.data() + static_cast<std::size_t>(before[block]) * bytes,
                    logical.keys.bytes.data() + block * bytes, bytes);
  }
  bool mapped(std::int64_t block) const { return logical.valid[static_cast<std::size_t>(block)] != 0; }
  std::int32_t mapped_before(std::int64_t block) const { return before[static_cast<std::size_t>(block)]; }

  LogicalKeys logical;
  std::vector<std::int32_t> before;  // mapped keys with a lower number
  Tensor keys;
};

// What is wrong with a row apart from the order of its mapped blocks: empty, or the first fault.
std::string layout_fault(Entries row, std::int64_t visible, const MappedKeys& keys) {
  const auto k = static_cast<std::int64_t>(row.size());
  const std::int64_t due = std::min(visible, k);
  std::int64_t unmapped_due = due - std::min<std::int64_t>(due, keys.mapped_before(visible)),
               next_unmapped = 0;
  for (std::int64_t slot = 0; slot < k; ++slot) {
    const std::int64_t block = row[static_cast<std::size_t>(slot)];
    if (slot >= due) {
      if (block != -1) return fmt::format("slot {} holds {}, where -1 is due", slot, block);
      continue;
    }
    if (block < 0 || block >= visible)
      return fmt::format("slot {} holds {}, not below {}", slot, block, visible);
    if (slot > 0 && block <= row[static_cast<std::size_t>(slot) - 1])
      return fmt::format("slot {} holds {}, not ascending", slot, block);
    if (keys.mapped(block)) continue;
    while (keys.mapped(next_unmapped)) ++next_unmapped;
    if (unmapped_due-- == 0 || block != next_unmapped++)
      return fmt::format("slot {} holds block {} behind an unmapped page, which ranks too low", slot, block);
  }
  return unmapped_due == 0 ? "" : "too few blocks behind unmapped pages";
}

void add_fault(ProofReport& report, std::int64_t row, std::string what) {
  if (report.faults.size() < kMaxFaults) {
    report.faults.push_back({row, std::move(what)});
  } else {
    ++report.faults_left_out;
  }
}

class PagedProver {
 public:
  PagedProver(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs, int threads)
      : inputs_(inputs), threads_(threads), k_(inputs.geometry.block_topk) {
    if (!outputs.selected_blocks) throw InputError("paged proof: expected selected_blocks, found none");
    const Shape due{inputs.index_query.extent(0), k_};
    if (outputs.selected_blocks->dtype != DType::int32 || outputs.selected_blocks->shape != due)
      throw InputError(fmt::format("paged proof: expected selected_blocks i32 {}, found {} {}",
                                   to_string(due), name_of(outputs.selected_blocks->dtype),
                                   to_string(outputs.selected_blocks->shape)));
    claimed_ = outputs.selected_blocks->as<std::int32_t>();
    if (outputs.block_scores) scores_ = &*outputs.block_scores;
  }

  ProofReport prove() {
    report_.rows = inputs_.index_query.extent(0);
    for (std::int64_t row = 0; row < report_.rows; ++row)
      if (is_padded_row(inputs_, row)) prove_padded(row);
    for (const RequestRows& rows : rows_by_request(inputs_)) prove_request(rows);
    std::ranges::sort(report_.faults, {}, &ProofReport::Fault::row);
    conclude();
    return report_;
  }

 private:
  Entries entries(std::int64_t row) const {
    return claimed_.subspan(static_cast<std::size_t>(row * k_), static_cast<std::size_t>(k_));
  }

  void prove_padded(std::int64_t row) {
    const Entries all = entries(row);
    if (std::ranges::all_of(all, [](std::int32_t entry) { return entry == -1; })) {
      ++report_.rows_proven;
    } else {
      add_fault(report_, row, "a padded row that is not all -1");
    }
  }

  // Rows whose layout holds are proven on the mapped keys alone; a row whose layout does not is taken as if
  // it saw nothing there, and reported here.
  void prove_request(const RequestRows& rows) {
    const MappedKeys keys(inputs_, rows.request, rows.blocks);
    Tensor visible = rows.visible;
    SelectOutputs outputs{Tensor(DType::int32, {rows.visible.extent(0), k_}), std::nullopt};
    std::ranges::fill(outputs.blocks.as<std::int32_t>(), -1);
    std::int64_t misplaced = 0;
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
      std::int32_t& seen = visible.as<std::int32_t>()[i];
      std::string fault = layout_fault(entries(rows.numbers[i]), seen, keys);
      if (!fault.empty()) {
        report_.rows_selecting += seen > k_ ? 1 : 0;
        add_fault(report_, rows.numbers[i], std::move(fault));
        ++misplaced;
        seen = 0;
        continue;
      }
      seen = keys.mapped_before(seen);
      auto to = outputs.blocks.as<std::int32_t>().begin() + static_cast<std::ptrdiff_t>(i) * k_;
      for (const std::int32_t block : entries(rows.numbers[i]))
        if (block >= 0 && keys.mapped(block)) *to++ = keys.mapped_before(block);
    }
    SelectInputs inputs;
    inputs.geometry = inputs_.geometry;
    inputs.rows = rows.visible.extent(0);
    inputs.blocks = keys.keys.extent(0);
    inputs.index_query = rows.query.view();
    inputs.index_key = keys.keys.view();
    inputs.visible_blocks = visible.view();
    if (scores_) outputs.scores = mapped_scores(rows.numbers, keys);
    add(judge_reference(inputs, outputs, threads_), rows.numbers);
    report_.rows_proven -= misplaced;
  }

  Tensor mapped_scores(const std::vector<std::int64_t>& numbers, const MappedKeys& keys) const {
    const std::int64_t width = scores_->extent(1), mapped = keys.keys.extent(0);
    Tensor scores(DType::float32, {static_cast<std::int64_t>(numbers.size()), mapped});
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::int64_t block = 0; block < static_cast<std::int64_t>(keys.logical.valid.size()); ++block)
        if (keys.mapped(block))
          scores.as<float>()[i * static_cast<std::size_t>(mapped) +
                             static_cast<std::size_t>(keys.mapped_before(block))] =
              scores_->as<float>()[static_cast<std::size_t>(numbers[i] * width + block)];
    return scores;
  }

  void add(const ProofReport& part, const std::vector<std::int64_t>& numbers) {
    report_.rows_selecting += part.rows_selecting;
    report_.rows_proven += part.rows_proven;
    report_.rows_without_exact_score += part.rows_without_exact_score;
    report_.rows_unproven += part.rows_unproven;
    report_.resolved_exactly += part.resolved_exactly;
    for (const ProofReport::Fault& fault : part.faults)
      add_fault(report_, numbers[static_cast<std::size_t>(fault.row)], fault.what);
    report_.faults_left_out += part.faults_left_out;
    selecting_proven_ = selecting_proven_ || part.status == Status::pass;
  }

  void conclude() {
    if (!report_.faults.empty()) {
      report_.status = Status::fail;
      report_.reason = fmt::format("{} of {} rows are not the canonical selection; row {}: {}",
                                   static_cast<std::int64_t>(report_.faults.size()) + report_.faults_left_out,
                                   report_.rows, report_.faults.front().row, report_.faults.front().what);
    } else if (!selecting_proven_) {
      report_.status = Status::vacuous;
      report_.reason = "no row that selects could be proven";
    }
  }

  const PagedSelectInputs& inputs_;
  int threads_;
  std::int64_t k_;
  Entries claimed_;
  const Tensor* scores_ = nullptr;  // what rows without exact score were selected on
  ProofReport report_;
  bool selecting_proven_ = false;
};

}  // namespace

ProofReport prove_paged(const PagedSelectInputs& inputs, const PagedSelectOutputs& outputs, int threads) {
  return PagedProver(inputs, outputs, threads).prove();
}

}  // namespace plumbline

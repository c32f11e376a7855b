#include "oracle/judge/judge_tokens.h"

#include "fixtures/error.h"
#include "oracle/judge/row_group.h"
#include "oracle/judge/selection_tally.h"
#include "oracle/judge/token_row.h"
#include "reference/model/integer_view.h"
#include "reference/model/page_table.h"
#include "reference/model/request_rows.h"
#include "reference/select/select_views.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// Calls read(first, count, rows of `out`) for every run of consecutive numbers in `rows`, `width` entries a
/// row.
template <typename Read, typename T>
void read_scattered(const Read& read, std::span<const std::int64_t> rows, std::size_t width,
                    std::span<T> out) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    read(rows[begin], static_cast<std::int64_t>(end - begin),
         out.subspan(begin * width, (end - begin) * width));
    begin = end;
  }
}

/// The rows of one request as a selection on its logical keys.
struct LogicalRows {
  RequestRows rows;
  LogicalKeys keys;
  SelectInputs inputs;

  std::span<const std::int64_t> numbers(std::int64_t first, std::int64_t count) const {
    return std::span(rows.numbers).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  std::int64_t number(std::int64_t row) const { return rows.numbers[static_cast<std::size_t>(row)]; }
};

class TokenJudge {
 public:
  TokenJudge(const TokenClaim& claim, const JudgeOptions& options)
      : claim_(claim), paged_(*claim.inputs), geometry_(paged_.geometry), options_(options) {
    if (geometry_.block_topk < 1 || geometry_.compress_ratio < 1) {
      throw InputError(fmt::format("block_topk and compress_ratio: expected at least 1, found {} and {}",
                                   geometry_.block_topk, geometry_.compress_ratio));
    }
    any_order_ = float32_any_order(geometry_.index_heads, geometry_.index_head_dim);
    const std::int64_t rows = paged_.token_to_request.extent(0);
    for (std::int64_t row = 0; row < rows; ++row) shapes_.push_back(shape_of(row));
  }

  TokenReport judge() {
    TokenReport report;
    std::vector<std::int64_t> padded;
    for (std::int64_t row = 0; row < rows(); ++row)
      if (is_padded_row(paged_, row)) padded.push_back(row);
    report.padded_rows = static_cast<std::int64_t>(padded.size());
    count_faults(report.faults);

    SelectionTally tokens(rows(), options_), blocks(rows(), options_);
    judge_padded(padded, tokens, blocks);
    for (RequestRows& of_request : rows_by_request(paged_)) {
      const LogicalRows group = gather(std::move(of_request));
      judge_group(token_group(group), options_, error_model(), tokens);
      if (claim_.selected_blocks) judge_group(block_group(group), options_, error_model(), blocks);
    }
    report.tokens = finish(tokens, "tokens");
    if (claim_.selected_blocks) report.blocks = finish(blocks, "blocks");
    return report;
  }

 private:
  const ErrorModel& error_model() const { return options_.error_model ? *options_.error_model : *any_order_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(shapes_.size()); }

  TokenRowShape shape_of(std::int64_t row) const {
    TokenRowShape shape;
    shape.ratio = geometry_.compress_ratio;
    shape.block_topk = geometry_.block_topk;
    if (is_padded_row(paged_, row)) return shape;
    shape.visible = visible_blocks_of_row(paged_, row);
    shape.position = integer_at(paged_.query_positions, row);
    shape.sequence_length = integer_at(paged_.sequence_lengths, integer_at(paged_.token_to_request, row));
    if (claim_.block_scores && claim_.score_blocks < shape.visible) {
      throw InputError(
          fmt::format("block_scores: expected at least the {} visible blocks of row {}, found {}",
                      shape.visible, row, claim_.score_blocks));
    }
    return shape;
  }

  void count_faults(TokenFaults& faults) const {
    constexpr std::int64_t kRowsAtOnce = 1024;
    const auto width = static_cast<std::size_t>(geometry_.token_width());
    for (std::int64_t first = 0; first < rows(); first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, rows() - first);
      std::vector<std::int32_t> tokens(static_cast<std::size_t>(count) * width);
      claim_.selected_tokens(first, count, tokens);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto row = std::span(tokens).subspan(static_cast<std::size_t>(i) * width, width);
        const TokenPart part = read_token_row(row, shapes_[static_cast<std::size_t>(first + i)]).deviation;
        faults.expansion += part == TokenPart::expansion;
        faults.tail += part == TokenPart::tail;
        faults.padding += part == TokenPart::padding;
      }
    }
  }

  LogicalRows gather(RequestRows rows) const {
    LogicalRows group;
    group.keys = gather_keys(paged_, rows.request, rows.blocks);
    group.rows = std::move(rows);
    group.inputs.geometry = geometry_;
    group.inputs.rows = group.rows.query.extent(0);
    group.inputs.blocks = group.rows.blocks;
    group.inputs.index_query = group.rows.query.view();
    group.inputs.index_key = group.keys.keys.view();
    group.inputs.visible_blocks = group.rows.visible.view();
    return group;
  }

  RowGroup token_group(const LogicalRows& rows) const {
    RowGroup group = score_group(rows);
    group.claimed_width = geometry_.token_width();
    group.claimed = [this, &rows](std::int64_t first, std::int64_t count, std::span<std::int32_t> out) {
      read_scattered(claim_.selected_tokens, rows.numbers(first, count),
                     static_cast<std::size_t>(geometry_.token_width()), out);
    };
    group.read = [this, &rows](std::int64_t row, std::span<const std::int32_t> entries) {
      return read_token_row(entries, shapes_[static_cast<std::size_t>(rows.number(row))]).blocks;
    };
    return group;
  }

  RowGroup block_group(const LogicalRows& rows) const {
    RowGroup group = score_group(rows);
    group.claimed_width = geometry_.block_topk;
    group.claimed = [this, &rows](std::int64_t first, std::int64_t count, std::span<std::int32_t> out) {
      read_scattered(claim_.selected_blocks, rows.numbers(first, count),
                     static_cast<std::size_t>(geometry_.block_topk), out);
    };
    group.read = [&rows](std::int64_t row, std::span<const std::int32_t> entries) {
      return read_claimed_row(entries, visible_of(rows.inputs, row));
    };
    return group;
  }

  RowGroup score_group(const LogicalRows& rows) const {
    RowGroup group;
    group.inputs = &rows.inputs;
    group.key_valid = rows.keys.valid;
    group.number = [&rows](std::int64_t row) { return rows.number(row); };
    if (!claim_.block_scores) return group;
    group.scores = [this, &rows](std::int64_t first, std::int64_t count, std::span<float> out) {
      const auto used = static_cast<std::size_t>(rows.inputs.blocks);
      const auto recorded = static_cast<std::size_t>(claim_.score_blocks);
      std::vector<float> row(recorded);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        claim_.block_scores(rows.number(first + static_cast<std::int64_t>(i)), 1, row);
        std::copy_n(row.begin(), used, out.begin() + static_cast<std::ptrdiff_t>(i * used));
      }
    };
    return group;
  }

  void judge_padded(const std::vector<std::int64_t>& padded, SelectionTally& tokens,
                    SelectionTally& blocks) const {
    std::vector<std::int32_t> entries(static_cast<std::size_t>(geometry_.token_width()));
    for (const std::int64_t row : padded) {
      claim_.selected_tokens(row, 1, entries);
      tally_padded(row, read_token_row(entries, shapes_[static_cast<std::size_t>(row)]).blocks, tokens);
    }
    if (!claim_.selected_blocks) return;
    entries.resize(static_cast<std::size_t>(geometry_.block_topk));
    for (const std::int64_t row : padded) {
      claim_.selected_blocks(row, 1, entries);
      tally_padded(row, read_claimed_row(entries, 0), blocks);
    }
  }

  /// A padded row sees no block, so its verdict needs no score and is the same in both judgements.
  void tally_padded(std::int64_t row, const ClaimedRow& claimed, SelectionTally& tally) const {
    const RowVerdict verdict = verdict_of_structure(claimed);
    tally.census().add_row(0, geometry_.block_topk);
    tally.end_to_end(row, verdict.verdict, RowChoice::forced);
    if (claim_.block_scores) tally.selector(row, verdict.verdict, RowChoice::forced);
    if (tally.exact_witnesses().wants(verdict.verdict, row)) {
      tally.exact_witnesses().add(structural_witness(row, verdict, "end_to_end"));
    }
  }

  SelectionReport finish(const SelectionTally& tally, const char* tag) const {
    SelectionReport report = tally.finish();
    report.tag = tag;
    if (claim_.block_scores) report.scores_tag = "block_scores";
    report.error_model = error_model().name();
    return report;
  }

  const TokenClaim& claim_;
  const PagedSelectInputs& paged_;
  const SelectGeometry& geometry_;
  const JudgeOptions& options_;
  std::unique_ptr<ErrorModel> any_order_;
  std::vector<TokenRowShape> shapes_;
};

}  // namespace

TokenReport judge_tokens(const TokenClaim& claim, const JudgeOptions& options) {
  return TokenJudge(claim, options).judge();
}

}  // namespace plumbline

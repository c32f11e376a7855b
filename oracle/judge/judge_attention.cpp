#include "oracle/judge/judge_attention.h"

#include "fixtures/error.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // bounds of so many are held
constexpr std::size_t kMostWitnesses = 16;

void require_shape(const Tensor& found, DType type, const Shape& shape, const char* what) {
  if (found.dtype != type || found.shape != shape)
    throw InputError(fmt::format("{}: expected {} {}, found {} {}", what, name_of(type), to_string(shape),
                                 name_of(found.dtype), to_string(found.shape)));
}

class Judge {
 public:
  Judge(const AttentionInputs& inputs, const AttentionOutputs& outputs, const AttentionErrorModel& model)
      : inputs_(inputs),
        outputs_(outputs),
        model_(model),
        output_("0000", "output", "attention.output", inputs.query.dtype, inputs.heads()),
        lse_("0000", "lse", "attention.lse", DType::float32) {
    const std::int64_t rows = inputs.rows(), heads = inputs.heads();
    require_shape(outputs.output, inputs.query.dtype, {rows, heads, inputs.dim()}, "output");
    if (outputs.lse) require_shape(*outputs.lse, DType::float32, {rows, heads}, "lse");
    report_.rows = rows;
    report_.profile = model.profile.name;
    report_.derivation = model.derivation();
  }

  AttentionReport run() {
    for (std::int64_t first = 0; first < report_.rows; first += kRowsAtOnce)
      judge_rows(first, std::min(kRowsAtOnce, report_.rows - first));
    report_.output = output_.report();
    if (outputs_.lse) report_.lse = lse_.report();
    conclude();
    return std::move(report_);
  }

 private:
  struct Row {
    std::int64_t tokens = 0;
    bool finite = true;
    BoundedRow bounded;
  };

  void judge_rows(std::int64_t first, std::int64_t count) {
    std::vector<Row> rows(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) {
      Row& row = rows[static_cast<std::size_t>(i)];
      const AttendedRow attended = gather_row(inputs_, first + i);
      row.tokens = attended.tokens();
      row.finite = attended.finite && finite_gate(first + i);
      if (row.tokens == 0 || !row.finite) continue;
      row.bounded = bounded_row(inputs_, first + i, attended, model_);
      row.finite = bounded(row.bounded.output) && bounded(row.bounded.lse);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Row& row = rows[static_cast<std::size_t>(i)];
      if (row.tokens == 0) {
        judge_empty(first + i);
      } else if (!row.finite) {
        ++report_.rows_not_finite;
      } else {
        output_.add(row.bounded.output, decoded_row(outputs_.output.view(), first + i, inputs_.heads()), 0,
                    first + i);
        if (outputs_.lse)
          lse_.add(row.bounded.lse, decoded_row(outputs_.lse->view(), first + i, 1), 0, first + i);
      }
    }
  }

  bool finite_gate(std::int64_t row) const {
    if (!inputs_.output_gate) return true;
    return std::ranges::all_of(decoded_row(*inputs_.output_gate, row, inputs_.heads()).numbers,
                               [](double x) { return std::isfinite(x); });
  }

  static bool bounded(const Rows<Bounded>& rows) {
    return std::ranges::all_of(rows.numbers, [](const Bounded& x) { return std::isfinite(x.error); });
  }

  void judge_empty(std::int64_t row) {
    ++report_.rows_without_tokens;
    const Rows<double> output = decoded_row(outputs_.output.view(), row, inputs_.heads());
    const auto wrong = std::ranges::find_if(output.numbers, [](double x) { return x != 0; });
    bool right = true;
    if (wrong != output.numbers.end()) {
      right = false;
      witness(fmt::format("row {}: no token contributes, output {:g} in place of 0", row, *wrong));
    }
    if (outputs_.lse) {
      const Rows<double> lse = decoded_row(outputs_.lse->view(), row, 1);
      const auto finite =
          std::ranges::find_if(lse.numbers, [](double x) { return !(std::isinf(x) && x < 0); });
      if (finite != lse.numbers.end()) {
        right = false;
        witness(fmt::format("row {}: no token contributes, log-sum-exp {:g} in place of -inf", row, *finite));
      }
    }
    report_.empty_rows_wrong += right ? 0 : 1;
  }

  void witness(std::string line) {
    if (report_.witnesses.size() < kMostWitnesses) report_.witnesses.push_back(std::move(line));
  }

  void worst(const TapReport& tap) {
    if (tap.within_bound()) return;
    const bool lse = tap.operation == "attention.lse";
    const std::int64_t dim = lse ? 1 : inputs_.dim();
    witness(fmt::format(
        "{} row {}, head {}{}: {:.9g}, exact {:.9g} ± {:.3g}; {} of {} elements beyond their bound", tap.name,
        tap.worst.token, tap.worst.column / dim,
        lse ? "" : fmt::format(", column {}", tap.worst.column % dim), tap.worst.recorded, tap.worst.ours,
        tap.worst.bound, tap.beyond_bound, tap.elements));
  }

  void conclude() {
    worst(*report_.output);
    if (report_.lse) worst(*report_.lse);
    const bool beyond = !report_.output->within_bound() || (report_.lse && !report_.lse->within_bound());
    if (beyond || report_.empty_rows_wrong > 0) {
      report_.status = Status::fail;
      report_.reason =
          fmt::format("{} elements of the output and {} log-sum-exps beyond their bound, {} empty rows wrong",
                      report_.output->beyond_bound, report_.lse ? report_.lse->beyond_bound : 0,
                      report_.empty_rows_wrong);
    } else if (report_.output->elements == 0) {
      report_.status = Status::vacuous;
      report_.reason = "no row has a token to attend to, or none with finite numbers";
    }
  }

  const AttentionInputs& inputs_;
  const AttentionOutputs& outputs_;
  const AttentionErrorModel& model_;
  TapComparison output_, lse_;
  AttentionReport report_;
};

}  // namespace

AttentionReport judge_attention(const AttentionInputs& inputs, const AttentionOutputs& outputs,
                                const AttentionErrorModel& model) {
  return Judge(inputs, outputs, model).run();
}

}  // namespace plumbline

#pragma once

#include "fixtures/tensor.h"
#include "reference/model/bounded.h"
#include "reference/model/rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// Elements by their distance: 0, 1, 2 to 3, 4 to 7, … ULP, up to the last that has any; NaN against a number
/// is not among them.
using UlpHistogram = std::vector<std::int64_t>;
void add_to(UlpHistogram& histogram, const UlpHistogram& more);

/// How one recorded tensor compares with ours: bits, ULP of its storage type, and the derived bound of each
/// element.
struct TapReport {
  std::string forward;    ///< "0000"
  std::string name;       ///< "model.layers.0.mlp/out", "state/layers.0/recurrent_states.0", "logits"
  std::string operation;  ///< what kind of step it is, the same word in every layer: "gated_residual.input"
  DType dtype = DType::float32;
  std::int64_t elements = 0, bit_equal = 0, beyond_bound = 0;
  std::int64_t max_ulp = 0, p99_ulp = 0;  ///< of the elements that are not NaN on both sides
  UlpHistogram ulp_histogram = {};
  /// Largest |recorded − ours| in ULP of the largest partial sum behind the element (Bounded::partial).
  double max_partial_ulp = 0;
  double used_share = 0;                    ///< largest |recorded − ours| / bound
  double max_abs = 0;                       ///< largest |recorded − ours|, ours rounded to the storage type
  std::int64_t rows = 0, argmax_equal = 0;  ///< rows whose largest element stands at the same place
  struct Worst {
    /// For a state that is no list of tokens `token` is its row.
    std::int64_t batch = 0, token = 0, column = 0;
    double recorded = 0, ours = 0, bound = 0;
  } worst;  ///< the element with the largest share of its bound

  /// A subject's result beside the capture's own record of it, where there is one: no judgement, since each
  /// has its own bound.
  struct AgainstRecorded {
    std::int64_t elements = 0, bit_equal = 0, max_ulp = 0;
  };
  std::optional<AgainstRecorded> against_recorded;

  bool within_bound() const { return beyond_bound == 0; }
};

/// Collects the elements of one tap, batch row by batch row.
class TapComparison {
 public:
  /// Each token holds `rows_per_token` rows; a witness's column counts through all of them.
  TapComparison(std::string forward, std::string name, std::string operation, DType dtype,
                std::int64_t rows_per_token = 1);

  /// `ours` and `recorded` have one shape, else throws InputError; `first_token` is the first row's token
  /// number, for the witness. An element whose recorded value is NaN is beyond every bound.
  void add(const Rows<Bounded>& ours, const Rows<double>& recorded, std::int64_t batch,
           std::int64_t first_token);
  /// Beside a subject's elements that were added, the capture's own; no judgement.
  void add_recorded(const Rows<double>& subject, const Rows<double>& recorded);
  TapReport report() const;

 private:
  TapReport report_;
  std::int64_t rows_per_token_;
  std::vector<std::int64_t> distances_;
};

}  // namespace plumbline

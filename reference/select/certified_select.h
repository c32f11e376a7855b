#pragma once

#include "fixtures/subject.h"
#include "reference/numeric/exact_score.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// How a row was decided; all fields are exact statements about the exact scores.
struct CertifiedRow {
  std::vector<std::int32_t> blocks;  ///< the canonical selection, ascending, min(k, n) entries
  std::int64_t visible = 0;          ///< n = clamp(visible_blocks[row], 0, blocks)
  bool selects = false;              ///< n > k: something had to be left out
  bool tied_at_cutoff = false;       ///< the k-th and the (k+1)-th exact score are equal
  std::int64_t tie_class_size = 0;   ///< visible blocks whose exact score equals the k-th (0 when !selects)
  std::int64_t tie_class_selected = 0;  ///< how many of them are winners
  bool zero_plateau = false;            ///< the k-th exact score is zero
  ExactScore cutoff;                    ///< the k-th exact score (when selects and it is finite, else zero)
  ExactScore runner_up;  ///< the best exact score left out (when selects and finite, else zero)
  /// Fewer than k visible keys are valid: the k-th score is -infinity. tie_class_* then count the invalid
  /// keys.
  bool cutoff_is_minus_infinity = false;
  bool runner_up_is_minus_infinity = false;  ///< at most k visible keys are valid
  std::int64_t resolved_exactly = 0;  ///< blocks that needed exact arithmetic (statistics, not a result)
};

/// Equality of every field that is a result (resolved_exactly is none).
bool same_result(const std::optional<CertifiedRow>& a, const std::optional<CertifiedRow>& b);

struct CertifyOptions {
  /// Instruction set of the float32 filter. The result never depends on it.
  enum class Filter : std::uint8_t { automatic, off, sse2, avx2, avx512 };
  Filter filter = Filter::automatic;
  int threads = 0;  ///< 0: OMP_NUM_THREADS
};
/// Whether this machine can run the filter.
bool filter_available(CertifyOptions::Filter filter);

/// The canonical selection on exact scores: score descending, lower block first, ascending output. A float32
/// filter with a proven error bound decides nearly all blocks; those whose interval meets the cutoff are
/// decided by exact arithmetic. Bit-identical for every filter, thread count and row chunking.
class CertifiedSelector {
 public:
  /// Views must outlive the selector. `key_valid` [blocks], where given, marks keys behind unmapped pages
  /// with 0: their score is -infinity, they rank last, lower block first, and their bits are never looked at.
  /// Query and key must be given in `inputs`, with heads·dim <= 2^21. Throws InputError for inputs that do
  /// not fit together.
  CertifiedSelector(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid = {},
                    CertifyOptions options = {});
  ~CertifiedSelector();

  /// A row whose query or a visible, valid key is not finite has no exact score: nullopt, also where n <= k.
  std::optional<CertifiedRow> row(std::int64_t index) const;
  /// All rows in parallel; `sink` is called once per row, in ascending row order, from the calling thread.
  void rows(const std::function<void(std::int64_t row, const std::optional<CertifiedRow>&)>& sink) const;

  /// Exact score of a valid, finite pair, and Σ|q·k| rounded up.
  ExactScore score(std::int64_t row, std::int64_t block) const;
  double magnitude(std::int64_t row, std::int64_t block) const;
  bool valid(std::int64_t block) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline

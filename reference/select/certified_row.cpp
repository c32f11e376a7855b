#include "reference/select/certified_select.h"

namespace plumbline {

bool same_result(const std::optional<CertifiedRow>& a, const std::optional<CertifiedRow>& b) {
  if (!a || !b) return !a && !b;
  return a->blocks == b->blocks && a->visible == b->visible && a->selects == b->selects &&
         a->tied_at_cutoff == b->tied_at_cutoff && a->tie_class_size == b->tie_class_size &&
         a->tie_class_selected == b->tie_class_selected && a->zero_plateau == b->zero_plateau &&
         a->cutoff == b->cutoff && a->runner_up == b->runner_up &&
         a->cutoff_is_minus_infinity == b->cutoff_is_minus_infinity &&
         a->runner_up_is_minus_infinity == b->runner_up_is_minus_infinity;
}

}  // namespace plumbline

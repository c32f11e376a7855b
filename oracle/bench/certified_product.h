#pragma once

#include "fixtures/cases/case_spec.h"

#include <cstdint>
#include <string>

namespace plumbline {

/// The certified selection beside a plain float32 matrix product of the same shape, on the same threads and
/// in the same run. Times are medians of `repetitions`, taken in turns.
struct CertifiedProductResult {
  std::int64_t rows = 0, blocks = 0;
  double product_seconds = 0;    ///< Eigen, 64 rows at a time, inputs already float32
  double certified_seconds = 0;  ///< everything from the 16-bit inputs to the certified rows
  double ratio = 0;              ///< certified / product
  int threads = 0;
  std::string isa;                          ///< of the filter: "avx512"
  std::string product_isa;                  ///< of the product, in Eigen's words
  std::int64_t peak_extra_bytes = 0;        ///< resident memory of the selection beyond its inputs
  std::int64_t resolved_exactly_total = 0;  ///< blocks decided by exact arithmetic, all rows together
  std::int64_t rows_verified = 0;           ///< rows decided again with the filter off
  bool verified = false;                    ///< those rows came out the same in every field
};

struct CertifiedProductOptions {
  int repetitions = 5;
  int threads = 0;  ///< 0: OMP_NUM_THREADS
  std::int64_t verify_rows = 64;
};

/// 1,616 rows of 46,000 blocks, 4 heads of 128, fp16: 184,000 tokens.
CaseSpec certified_product_case();

/// Throws InputError for a case without query and key.
CertifiedProductResult bench_certified_product(const CaseSpec& spec,
                                               const CertifiedProductOptions& options = {});

}  // namespace plumbline

#pragma once

#include "fixtures/product_subject.h"
#include "fixtures/subject.h"
#include "oracle/summation/sum_box.h"

#include <functional>
#include <memory>
#include <string>

namespace plumbline {

/// The shape of the call that a product's or scorer's kernel is chosen by, and its operands' type.
struct CallShape {
  std::int64_t rows = 1616;     ///< m, or query rows
  std::int64_t columns = 2048;  ///< n, or blocks
  std::int64_t inner = 128;
  DType type = DType::float16;
};

/// The inner dimension of a product: terms are powers of two times elements of the second operand.
std::unique_ptr<SumBox> product_box(std::shared_ptr<ProductSubject> subject, const CallShape& shape);

/// The head dimension of a scorer: one head has the terms, another their negatives, so scores are magnitudes.
/// The division by sqrt(dim) is undone, so the float32 bits are not seen.
std::unique_ptr<SumBox> score_box(std::shared_ptr<SelectSubject> subject, const CallShape& shape);

/// The same of any function that gives scores [rows, blocks]. Masks reach as far as the operands' type lets
/// them: but for float16 beyond a double accumulator.
std::unique_ptr<SumBox> scorer_box(std::string name, std::function<Tensor(const SelectInputs&)> scores,
                                   const CallShape& shape);

}  // namespace plumbline

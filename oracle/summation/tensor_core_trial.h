#pragma once

#include "fixtures/product_subject.h"
#include "oracle/report/report_json.h"
#include "reference/numeric/tensor_core.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Dot products of one kind of numbers, beside what the model foretells.
struct TensorCoreTally {
  DType type = DType::float16;
  std::string numbers;  ///< "wide exponents"
  std::int64_t dots = 0;
  std::int64_t wrong = 0;  ///< other bits than foretold
  std::int64_t nonzero = 0;
  /// Other bits under a model that keeps one bit less or one more while it adds: the numbers can tell.
  std::int64_t wrong_with_less = 0, wrong_with_more = 0;
  std::string first_wrong;
};

struct TensorCoreTrial {
  std::string subject, capability;
  std::int64_t length = 128;
  std::vector<TensorCoreTally> tallies;

  std::int64_t dots() const;
  std::int64_t wrong() const;
};

/// At least `dots` dot products of `length` in each of the core's 16-bit types, on random and adversarial
/// numbers in equal parts: normal, wide exponents, cancelling, subnormal, extremes, zeros, powers of two.
/// Throws InputError for a capability without a model.
TensorCoreTrial try_tensor_core(ProductSubject& subject, const std::string& capability, std::int64_t dots,
                                std::uint64_t seed);

std::string trial_text(const TensorCoreTrial& trial);
Json trial_json(const TensorCoreTrial& trial);

}  // namespace plumbline

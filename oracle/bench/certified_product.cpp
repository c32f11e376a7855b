#include "oracle/bench/certified_product.h"

#include "fixtures/cases/generate.h"
#include "fixtures/error.h"
#include "oracle/bench/memory_meter.h"
#include "oracle/bench/native/eigen_product.h"
#include "reference/numeric/decode_row.h"
#include "reference/select/certified_select.h"
#include "reference/select/filter_kernel.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <omp.h>

namespace plumbline {
namespace {

constexpr std::int64_t kChunkRows = 64;

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<float> as_float(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  decode_row(tensor.dtype, tensor.bytes.data(), 1, values);
  return values;
}

/// The plain product; the scores of a chunk overwrite those of the one before.
class Product {
 public:
  explicit Product(const GeneratedSelect& generated)
      : heads_(generated.geometry.index_heads),
        dim_(generated.geometry.index_head_dim),
        rows_(generated.rows),
        blocks_(generated.blocks),
        query_(as_float(*generated.index_query)),
        key_(as_float(*generated.index_key)),
        scores_(static_cast<std::size_t>(kChunkRows * heads_ * blocks_)) {}

  void run(int threads) {
    for (std::int64_t first = 0; first < rows_; first += kChunkRows) {
      const std::int64_t count = std::min(kChunkRows, rows_ - first);
      plumbline_eigen_product(query_.data() + first * heads_ * dim_, count * heads_, key_.data(), blocks_,
                              dim_, scores_.data(), threads);
    }
  }

 private:
  std::int64_t heads_, dim_, rows_, blocks_;
  std::vector<float> query_, key_, scores_;
};

struct Certified {
  std::vector<std::optional<CertifiedRow>> rows;

  Certified(const SelectInputs& inputs, CertifyOptions options) {
    CertifiedSelector(inputs, {}, options).rows([this](std::int64_t, const std::optional<CertifiedRow>& row) {
      rows.push_back(row);
    });
  }
  std::int64_t resolved_exactly() const {
    std::int64_t total = 0;
    for (const auto& row : rows) total += row ? row->resolved_exactly : 0;
    return total;
  }
};

/// Every `step`-th row of a selection.
SelectInputs every(SelectInputs inputs, std::int64_t step) {
  inputs.rows = (inputs.rows + step - 1) / step;
  for (TensorView* view : {&*inputs.index_query, &inputs.visible_blocks}) {
    view->shape[0] = inputs.rows;
    view->strides[0] *= step;
  }
  return inputs;
}

}  // namespace

CaseSpec certified_product_case() {
  return parse_case("select:heads=4,dim=128,blocks=46000,rows=1616,dtype=f16,data=relu,seed=7");
}

CertifiedProductResult bench_certified_product(const CaseSpec& spec, const CertifiedProductOptions& options) {
  if (spec.kind != CaseSpec::Kind::select || spec.rows == 0)
    throw InputError("bench select: expected a select case with rows, found " + format_case(spec));
  const GeneratedSelect generated = generate_select(spec);
  if (!generated.index_query || !generated.index_key)
    throw InputError("bench select: the case has no query and key");
  const SelectInputs inputs = generated.inputs();
  CertifiedProductResult result;
  result.rows = generated.rows;
  result.blocks = generated.blocks;
  result.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  result.isa = find_filter_kernel(CertifyOptions::Filter::automatic)->name;
  result.product_isa = plumbline_eigen_simd();
  const CertifyOptions with_filter{CertifyOptions::Filter::automatic, result.threads};

  // The first run measures memory and warms up; the product's own buffers do not exist yet.
  MemoryMeter meter;
  const Certified certified(inputs, with_filter);
  result.peak_extra_bytes = meter.peak_growth();
  result.resolved_exactly_total = certified.resolved_exactly();

  Product product(generated);
  product.run(result.threads);
  std::vector<double> product_times, certified_times;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    product_times.push_back(seconds([&] { product.run(result.threads); }));
    certified_times.push_back(seconds([&] { Certified again(inputs, with_filter); }));
  }
  result.product_seconds = median(product_times);
  result.certified_seconds = median(certified_times);
  result.ratio = result.certified_seconds / result.product_seconds;

  const std::int64_t step =
      std::max<std::int64_t>(1, result.rows / std::max<std::int64_t>(1, options.verify_rows));
  const Certified exact(every(inputs, step), {CertifyOptions::Filter::off, result.threads});
  result.rows_verified = static_cast<std::int64_t>(exact.rows.size());
  result.verified = result.rows_verified > 0;
  for (std::size_t row = 0; row < exact.rows.size(); ++row) {
    const auto& filtered = certified.rows[row * static_cast<std::size_t>(step)];
    result.verified = result.verified && same_result(exact.rows[row], filtered);
  }
  return result;
}

}  // namespace plumbline

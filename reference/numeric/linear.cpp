#include "reference/numeric/linear.h"

#include "reference/numeric/linear_kernel.h"
#include "reference/numeric/worth_threads.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

using linear_kernel::kPanel;
using linear_kernel::kRows;
static_assert(LinearWeight::kPanel == kPanel);

/// Rows of x that stay in a second-level cache beside a panel of weights.
constexpr std::int64_t kChunk = 64;

/// All rows of x against one panel of weights, whose outputs start at `first`.
void product_of_panel(const double* x, std::int64_t rows, const float* panel, std::int64_t first,
                      const LinearWeight& weight, linear_kernel::Kernel kernel, std::vector<double>& padded,
                      double* out) {
  const std::int64_t inner = weight.inner(), outputs = weight.outputs();
  const std::int64_t width = std::min<std::int64_t>(kPanel, outputs - first);
  double block[kRows * kPanel];
  for (std::int64_t row = 0; row < rows; row += kRows) {
    const std::int64_t count = std::min<std::int64_t>(kRows, rows - row);
    const double* source = x + row * inner;
    if (count < kRows) {
      padded.assign(static_cast<std::size_t>(kRows * inner), 0.0);
      std::copy_n(source, count * inner, padded.begin());
      source = padded.data();
    }
    kernel(source, inner, panel, block);
    for (std::int64_t r = 0; r < count; ++r) {
      std::copy_n(block + r * kPanel, width, out + (row + r) * outputs + first);
    }
  }
}

}  // namespace

LinearWeight::LinearWeight(std::span<const float> weight, std::int64_t outputs, std::int64_t inner)
    : outputs_(outputs), inner_(inner) {
  panels_.resize(static_cast<std::size_t>(panels() * kPanel * inner));
  for (std::int64_t n = 0; n < outputs; ++n) {
    float* column = panels_.data() + n / kPanel * kPanel * inner + n % kPanel;
    for (std::int64_t k = 0; k < inner; ++k) {
      column[k * kPanel] = weight[static_cast<std::size_t>(n * inner + k)];
    }
  }
}

void linear(std::span<const double> x, std::int64_t rows, const LinearWeight& weight, Products products,
            std::span<double> out) {
  linear_kernel::Kernel kernel = products == Products::exact ? linear_kernel::fused() : nullptr;
  if (kernel == nullptr) kernel = linear_kernel::separate;
#pragma omp parallel if (worth_threads_products(rows * weight.inner() * weight.outputs()))
  {
    std::vector<double> padded;
    for (std::int64_t row = 0; row < rows; row += kChunk) {
#pragma omp for schedule(static) nowait
      for (std::int64_t panel = 0; panel < weight.panels(); ++panel) {
        product_of_panel(x.data() + row * weight.inner(), std::min(kChunk, rows - row), weight.panel(panel),
                         panel * kPanel, weight, kernel, padded, out.data() + row * weight.outputs());
      }
    }
  }
}

void linear_partial(std::span<const double> x, std::span<const double> scale, std::int64_t rows,
                    const LinearWeight& weight, std::span<double> out) {
  const std::int64_t inner = weight.inner(), outputs = weight.outputs();
#pragma omp parallel for schedule(static) if (worth_threads_products(rows * inner * outputs))
  for (std::int64_t index = 0; index < weight.panels(); ++index) {
    const std::int64_t width = std::min<std::int64_t>(kPanel, outputs - index * kPanel);
    for (std::int64_t row = 0; row < rows; ++row) {
      double sum[kPanel] = {}, largest[kPanel] = {};
      const float* panel = weight.panel(index);
      for (std::int64_t k = 0; k < inner; ++k, panel += kPanel) {
        const double a = x[static_cast<std::size_t>(row * inner + k)],
                     s = scale[static_cast<std::size_t>(row * inner + k)];
        for (int column = 0; column < kPanel; ++column) {
          const auto w = static_cast<double>(panel[column]);
          sum[column] += a * w;
          largest[column] = std::max({largest[column], std::fabs(sum[column]), s * std::fabs(w)});
        }
      }
      std::copy_n(largest, width, out.data() + row * outputs + index * kPanel);
    }
  }
}

void linear_magnitude(std::span<const double> x, std::int64_t rows, const LinearWeight& weight,
                      std::span<double> out) {
  std::vector<double> magnitudes(x.size()), padded;
  std::transform(x.begin(), x.end(), magnitudes.begin(), [](double value) { return std::fabs(value); });
  std::vector<float> panel(static_cast<std::size_t>(kPanel * weight.inner()));
  for (std::int64_t index = 0; index < weight.panels(); ++index) {
    std::transform(weight.panel(index), weight.panel(index) + panel.size(), panel.begin(),
                   [](float value) { return std::fabs(value); });
    product_of_panel(magnitudes.data(), rows, panel.data(), index * kPanel, weight, linear_kernel::separate,
                     padded, out.data());
  }
}

}  // namespace plumbline

#include "reference/model/stepped_product.h"

#include "reference/model/number.h"
#include "reference/numeric/tile_product.h"

#include <algorithm>
#include <vector>

namespace plumbline {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::vector<const double*> row_pointers(const Rows<double>& rows, std::int64_t first, std::int64_t count) {
  std::vector<const double*> pointers(at(count));
  for (std::int64_t r = 0; r < count; ++r) pointers[at(r)] = rows.row(first + r).data();
  return pointers;
}

Products products_of(const BasicEngineArithmetic<double>& arithmetic) {
  // Where every step is rounded to float32, every factor is a float32 number.
  return arithmetic.profile().float32_arithmetic ? Products::exact : Products::rounded;
}

/// Rows that share a tile; a triangle's ragged end is added element by element.
constexpr std::int64_t kBand = 12;

Rows<double> product(const Rows<double>& a, const Rows<double>& b, Terms terms,
                     const BasicEngineArithmetic<double>& arithmetic) {
  Rows<double> out(a.rows, b.width);
  const std::int64_t band = terms.triangle < 0 ? a.rows : kBand;
  for (std::int64_t first = 0; first < a.rows; first += band) {
    const std::int64_t count = std::min(band, a.rows - first), common = terms.of(first, b.rows);
    tile_product(row_pointers(a, first, count), row_pointers(b, 0, common), b.width, products_of(arithmetic),
                 out.row(first).data(), out.width);
    for (std::int64_t r = first; r < first + count; ++r) {
      for (std::int64_t k = common; k < terms.of(r, b.rows); ++k) {
        const double factor = a.row(r)[at(k)];
        const double* source = b.row(k).data();
        double* to = out.row(r).data();
        for (std::int64_t c = 0; c < b.width; ++c) to[c] += factor * source[c];
      }
    }
  }
  for (double& number : out.numbers) number = arithmetic.step(number);
  return out;
}

Rows<Bounded> product(const Rows<Bounded>& a, const Rows<Bounded>& b, Terms terms,
                      const BasicEngineArithmetic<Bounded>& arithmetic) {
  Rows<Bounded> out(a.rows, b.width);
  for (std::int64_t r = 0; r < a.rows; ++r) {
    std::vector<double> magnitude(at(b.width), 0.0);
    const std::int64_t own = terms.of(r, b.rows);
    for (std::int64_t k = 0; k < own; ++k) {
      const Bounded factor = a.row(r)[at(k)];
      for (std::size_t c = 0; c < magnitude.size(); ++c) {
        const Bounded term = factor * b.row(k)[c];
        out.row(r)[c] = out.row(r)[c] + term;
        magnitude[c] += largest_magnitude(term);
      }
    }
    for (std::size_t c = 0; c < magnitude.size(); ++c)
      out.row(r)[c] = arithmetic.step(arithmetic.reduced(out.row(r)[c], magnitude[c], own));
  }
  return out;
}

Rows<double> dots(const Rows<double>& a, const Rows<double>& b, Terms terms,
                  const BasicEngineArithmetic<double>& arithmetic) {
  Rows<double> columns(b.width, b.rows);
  for (std::int64_t c = 0; c < b.rows; ++c) {
    for (std::int64_t k = 0; k < b.width; ++k) columns.row(k)[at(c)] = b.row(c)[at(k)];
  }
  Rows<double> out = product(a, columns, Terms::all(), arithmetic);
  for (std::int64_t r = 0; r < out.rows; ++r) {
    const auto row = out.row(r);
    std::fill(row.begin() + std::min(terms.of(r, b.rows), b.rows), row.end(), 0.0);
  }
  return out;
}

Rows<Bounded> dots(const Rows<Bounded>& a, const Rows<Bounded>& b, Terms terms,
                   const BasicEngineArithmetic<Bounded>& arithmetic) {
  Rows<Bounded> out(a.rows, b.rows);
  for (std::int64_t r = 0; r < a.rows; ++r) {
    for (std::int64_t c = 0; c < std::min(terms.of(r, b.rows), b.rows); ++c)
      out.row(r)[at(c)] = arithmetic.step(arithmetic.dot(a.row(r), b.row(c)));
  }
  return out;
}

}  // namespace

template <typename Number>
Rows<Number> stepped_product(const Rows<Number>& a, const Rows<Number>& b, Terms terms,
                             const BasicEngineArithmetic<Number>& arithmetic) {
  return product(a, b, terms, arithmetic);
}

template <typename Number>
Rows<Number> stepped_dots(const Rows<Number>& a, const Rows<Number>& b, Terms terms,
                          const BasicEngineArithmetic<Number>& arithmetic) {
  return dots(a, b, terms, arithmetic);
}

#define PLUMBLINE_INSTANTIATE(Number)                                                    \
  template Rows<Number> stepped_product(const Rows<Number>&, const Rows<Number>&, Terms, \
                                        const BasicEngineArithmetic<Number>&);           \
  template Rows<Number> stepped_dots(const Rows<Number>&, const Rows<Number>&, Terms,    \
                                     const BasicEngineArithmetic<Number>&);
PLUMBLINE_INSTANTIATE(Bounded)
PLUMBLINE_INSTANTIATE(double)
#undef PLUMBLINE_INSTANTIATE

}  // namespace plumbline

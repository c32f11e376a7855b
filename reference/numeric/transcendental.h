#pragma once

namespace plumbline {

// Elementary functions in double, at most 1 ULP off, computed in a written order of IEEE operations and fused
// multiply-adds: the same bits on every machine, which a C library's functions do not promise.

/// Largest |x| whose sine and cosine are computed; beyond it the result is NaN.
constexpr double kLargestAngle = 0x1p40;

double sine_of(double x);
double cosine_of(double x);

/// e^x: 0 or subnormal below about -708, infinity above about 709.78.
double exp_of(double x);
/// Natural logarithm: -infinity at 0, NaN below.
double log_of(double x);
/// base^exponent for a positive finite base and a finite exponent; NaN for other bases.
double pow_of(double base, double exponent);

}  // namespace plumbline

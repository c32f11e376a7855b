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

/// Φ(−x) = erfc(x/√2)/2, the normal distribution's tail, for x >= 0: relative error below 2^-43 up to
/// x = 14, where it is 1e-44. NaN for x < 0.
double normal_tail_of(double x);

}  // namespace plumbline

#pragma once

namespace benchd {

/// Tail probabilities and quantiles of the laws that every interval is made of.
///
/// The only door to Boost.Math: its headers are heavy, so they stay in tails.cc, and its error
/// policy (no exceptions; overflow is an infinity) is set there once. All arguments are plain
/// numbers without a unit. Accuracy: a relative error of 1e-12 or better, also for tails of 1e-300.

/// P(Z > z) for a standard normal Z; 0 once it falls below the smallest double (z > 38).
double NormalUpperTail(double z);

/// Density of the standard normal law at z.
double NormalDensity(double z);

/// The z with P(Z > z) = p, 0 <= p <= 1; +infinity for p = 0, -infinity for p = 1.
double NormalUpperQuantile(double p);

/// P(T > t) for Student's t with `dof` > 0 degrees of freedom (which need not be whole).
double StudentTUpperTail(double t, double dof);

/// t times the density of Student's law at t >= 0: far out the density alone underflows long before
/// this product does. 0 at infinity.
double StudentTTimesDensity(double t, double dof);

/// The t with P(T > t) = p, 0 < p < 1; asks for the tail itself, so that p may be tiny.
double StudentTUpperQuantile(double p, double dof);

/// The x with P(X < x) = p, and the one with P(X > x) = p, for chi-square with `dof` > 0 degrees of
/// freedom, 0 < p < 1.
double ChiSquareLowerQuantile(double p, double dof);
double ChiSquareUpperQuantile(double p, double dof);

/// P(B <= k), B the number of heads among n tosses of a fair coin; k <= n, both whole.
double FairCoinLowerTail(double n, double k);

/// Where a function that falls on [low, high] crosses `level`, to the last bits, by bisection: such
/// a root is needed once per session, so nothing faster is worth its edge cases.
template <typename Function>
double RootOfFalling(Function function, double level, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (function(middle) > level ? low : high) = middle;
  }
}

}  // namespace benchd

#pragma once

namespace benchd {

/// Tail probabilities and quantiles of the distributions behind all intervals.
///
/// The only interface to Boost.Math: its heavy headers stay in tails.cc, and its error policy (no
/// exceptions; overflow yields infinity) is set there once. All arguments are dimensionless. The
/// relative error is 1e-12 or better, even for tails of 1e-300.

/// P(Z > z) for a standard normal Z; 0 once it falls below the smallest double (z > 38).
double NormalUpperTail(double z);

/// Density of the standard normal distribution at z.
double NormalDensity(double z);

/// The z with P(Z > z) = p, 0 <= p <= 1; +infinity for p = 0, -infinity for p = 1.
double NormalUpperQuantile(double p);

/// P(T > t) for Student's t with `dof` > 0 degrees of freedom (not necessarily an integer).
double StudentTUpperTail(double t, double dof);

/// t times the density of Student's law at t >= 0. Far out, the density alone underflows long
/// before this product does. 0 at infinity.
double StudentTTimesDensity(double t, double dof);

/// The t with P(T > t) = p, 0 < p < 1; takes the upper tail itself, so p may be tiny.
double StudentTUpperQuantile(double p, double dof);

/// The x with P(X < x) = p, and that with P(X > x) = p, for chi-square with `dof` > 0 degrees of
/// freedom, 0 < p < 1.
double ChiSquareLowerQuantile(double p, double dof);
double ChiSquareUpperQuantile(double p, double dof);

/// P(B <= k), where B is the number of heads in n tosses of a fair coin; k <= n, both integers.
double FairCoinLowerTail(double n, double k);

/// The point at which a function that falls on [low, high] crosses `level`, to the last bit, by
/// bisection. A session needs such a root once, so a faster method is not worth its edge cases.
template <typename Function>
double RootOfFalling(Function function, double level, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (function(middle) > level ? low : high) = middle;
  }
}

}  // namespace benchd

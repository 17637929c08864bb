#pragma once

namespace benchd {

/// Tail probabilities and quantiles of the distributions behind all intervals.
///
/// This is the only interface to Boost.Math. Its heavy headers stay in tails.cc, and its error
/// policy (no exceptions; overflow yields infinity) is set there once. All arguments are
/// dimensionless. The relative error is 1e-12 or better, even for tails of 1e-300.

/// Returns P(Z > z) for a standard normal Z; 0 once it falls below the smallest double (z > 38).
double NormalUpperTail(double z);

/// Returns the density of the standard normal distribution at z.
double NormalDensity(double z);

/// Returns the z with P(Z > z) = p, 0 <= p <= 1; +infinity for p = 0, -infinity for p = 1.
double NormalUpperQuantile(double p);

/// Returns P(T > t) for Student's t with `dof` > 0 degrees of freedom (not necessarily an integer).
double StudentTUpperTail(double t, double dof);

/// Returns t times the density of Student's law at t >= 0; 0 at infinity. Far out, the density
/// alone underflows long before this product does.
double StudentTTimesDensity(double t, double dof);

/// Returns the t with P(T > t) = p, 0 < p < 1. The argument is the upper tail, so it may be tiny.
double StudentTUpperQuantile(double p, double dof);

/// Returns the x with P(X < x) = p (lower) or P(X > x) = p (upper), for chi-square with `dof` > 0
/// degrees of freedom, 0 < p < 1.
double ChiSquareLowerQuantile(double p, double dof);
double ChiSquareUpperQuantile(double p, double dof);

/// Returns P(B <= k), where B is the number of heads in n tosses of a fair coin. Both arguments
/// must be integers, k <= n.
double FairCoinLowerTail(double n, double k);

/// Returns P(B <= k), where B is the number of successes in n independent trials that each succeed
/// with probability p in (0, 1). n and k must be integers, k <= n; 0 for k < 0.
double BinomialLowerTail(double n, double k, double p);

/// Finds the point at which a function that falls on [low, high] crosses `level`, to the last bit,
/// by bisection. A session needs this root only once, so a faster method is not worth its edge
/// cases.
template <typename Function>
double RootOfFalling(Function function, double level, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (function(middle) > level ? low : high) = middle;
  }
}

}  // namespace benchd

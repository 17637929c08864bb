#include "core/stats/paired_interval.h"

#include <algorithm>
#include <cmath>

#include "core/stats/tails.h"

namespace benchd {
namespace {

// (3/kappa)(cbrt(1 + kappa (y - kappa/6)) - 1), in the form that does not cancel for small kappa.
double InverseHall(double kappa, double y) {
  const double shifted = y - kappa / 6;
  const double w = std::cbrt(1 + kappa * shifted);
  return 3 * shifted / (1 + w + w * w);
}

}  // namespace

CriticalValues GuardAgainstSkewness(double kappa, double t) {
  return {std::max(t, InverseHall(kappa, t)), std::max(t, -InverseHall(kappa, -t))};
}

Interval GuardedInterval(const PairedEstimate& estimate, double t) {
  const CriticalValues critical = GuardAgainstSkewness(estimate.kappa, t);
  return {estimate.centre - estimate.se * critical.low - estimate.widening,
          estimate.centre + estimate.se * critical.high + estimate.widening};
}

Interval PlainInterval(const PairedEstimate& estimate, double t) {
  return {estimate.centre - estimate.se * t - estimate.widening,
          estimate.centre + estimate.se * t + estimate.widening};
}

double FixedCriticalT(double alpha, std::uint64_t n) {
  return StudentTUpperQuantile(alpha / 2, static_cast<double>(n - 1));
}

Interval ToChange(const Interval& log_ratio) {
  return {std::expm1(log_ratio.lo), std::expm1(log_ratio.hi)};
}

Interval Mirror(const Interval& interval) { return {-interval.hi, -interval.lo}; }

}  // namespace benchd

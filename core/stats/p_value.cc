#include "core/stats/p_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stats/tails.h"

namespace benchd {
namespace {

int Sign(double value) { return (value > 0) - (value < 0); }

double Excess(const PairedEstimate& estimate, double hypothesis) {
  return ExcessDistance(estimate.centre, hypothesis, estimate.widening);
}

// At least the normal z with the tail probability of t: spares the incomplete beta function at
// looks that cannot change anything. D. L. Wallace, Ann. Math. Statist. 30 (1959) 1121-1130.
double LargestNormalEquivalent(double t, double dof) {
  return std::sqrt(dof * std::log1p(t * t / dof));
}

}  // namespace

double ExcessDistance(double centre, double hypothesis, double widening) {
  return std::max(0.0, std::abs(centre - hypothesis) - widening);
}

double GuardedDistance(const PairedEstimate& estimate, double hypothesis) {
  const double excess = Excess(estimate, hypothesis);
  if (excess == 0) return 0;
  if (estimate.se == 0) return std::numeric_limits<double>::infinity();
  const int sign = Sign(estimate.centre - hypothesis);
  const double t = sign * excess / estimate.se;
  const double k = estimate.kappa;
  const double hall = t + k * t * t / 3 + k * k * t * t * t / 27 + k / 6;
  return std::min(std::abs(t), std::max(0.0, sign * hall));
}

double FixedPValue(const PairedEstimate& estimate, double hypothesis) {
  const double excess = Excess(estimate, hypothesis);
  if (excess == 0) return 1;
  if (estimate.se == 0) return 0;
  return 2 * StudentTUpperTail(excess / estimate.se, static_cast<double>(estimate.n - 1));
}

void RunningPValue::Update(const PairedEstimate& estimate, double hypothesis,
                           const SequentialBoundary& boundary) {
  Update(Finding{.distance = GuardedDistance(estimate, hypothesis),
                 .dof = static_cast<double>(estimate.n - 1),
                 .clock = static_cast<double>(estimate.n),
                 .direction = Sign(estimate.centre)},
         boundary);
}

void RunningPValue::Update(const Finding& finding, const SequentialBoundary& boundary) {
  if (!looked_) {
    looked_ = true;
    direction_ = finding.direction;
  }
  if (value_ == 0) return;
  const double needed = boundary.ZForStrengthAtClock(strength_, finding.clock);
  if (LargestNormalEquivalent(finding.distance, finding.dof) <= needed) return;
  const double z = NormalUpperQuantile(StudentTUpperTail(finding.distance, finding.dof));
  const double strength = boundary.StrengthAtClock(z, finding.clock);
  if (!(strength > strength_)) return;
  strength_ = strength;
  value_ = boundary.PValue(strength);
  direction_ = finding.direction;
}

}  // namespace benchd

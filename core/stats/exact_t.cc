#include "core/stats/exact_t.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/try.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr double kSmallestLevel = 1e-300;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double Count(std::uint64_t n) { return static_cast<double>(n); }

// The roots r of (c - r b)^2 = k (s_cc - 2 r s_bc + r^2 s_bb), as r / (c / b) - 1, so that a narrow
// interval keeps its digits. Absent if r has no upper bound.
struct Excursion {
  double below = 0;
  double above = 0;
};

std::optional<Excursion> SolveRatio(const CentredMoments& m, double mean_b, double mean_c,
                                    double k) {
  const double x = m.s_bb / mean_b / mean_b;
  const double w = m.s_bc / mean_b / mean_c;
  const double y = m.s_cc / mean_c / mean_c;
  const double leading = 1 - k * x;
  if (!(leading > 0)) return std::nullopt;
  const double spread = x - 2 * w + y;
  if (spread <= kRoundingFactor * (x + y)) return Excursion{};
  const double root = std::sqrt(std::max(0.0, k * (spread - k * (x * y - w * w))));
  const double middle = k * (x - w);
  return Excursion{(middle - root) / leading, (middle + root) / leading};
}

}  // namespace

double LaiLevel(double a, std::uint64_t m) {
  const double dof = Count(m - 1);
  return std::min(1.0, 2 * (StudentTUpperTail(a, dof) + StudentTTimesDensity(a, dof)));
}

Result<double> LaiRoot(double alpha, std::uint64_t m) {
  if (!(alpha >= kSmallestLevel && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 1e-300 and 1 (half of that when one-sided)");
  }
  if (m < 3) return InvalidArgument("min-runs", "must be at least 3");
  const auto level = [m](double a) { return LaiLevel(a, m); };
  double high = 2;
  while (level(high) > alpha) high *= 2;
  return RootOfFalling(level, alpha, 0, high);
}

ExactTBoundary::ExactTBoundary(std::uint64_t first_look, double root)
    : first_look_(first_look),
      root_(root),
      log_b_m_(Count(first_look) * std::log1p(root * root / Count(first_look - 1))) {}

Result<ExactTBoundary> ExactTBoundary::Make(double alpha, std::uint64_t first_look) {
  TRY(const double root, LaiRoot(alpha, first_look));
  return ExactTBoundary(first_look, root);
}

double ExactTBoundary::CriticalT(std::uint64_t n) const {
  assert(n >= first_look_);
  const double log_b_n = log_b_m_ + std::log(Count(n) / Count(first_look_));
  return std::sqrt(Count(n - 1) * std::expm1(log_b_n / Count(n)));
}

double ExactTBoundary::Crossing(double t, std::uint64_t n) const {
  assert(n >= first_look_);
  const double log_b_n = Count(n) * std::log1p(t * t / Count(n - 1));
  const double log_b_m = log_b_n - std::log(Count(n) / Count(first_look_));
  if (!(log_b_m > 0)) return 0;
  return std::sqrt(Count(first_look_ - 1) * std::expm1(log_b_m / Count(first_look_)));
}

double ExactTBoundary::PValue(double crossing) const { return LaiLevel(crossing, first_look_); }

ArmSteps StepsOf(const CentredMoments& raw, const CentredMoments& analysed, double resolution) {
  if (!NeedsAllowance(raw, resolution)) return {};
  return {resolution * (analysed.mean_b / raw.mean_b), resolution * (analysed.mean_c / raw.mean_c)};
}

double LowerIsBetterFactor(double margin) { return 1 + margin; }

double RateFactor(double margin) { return 1 / (1 - margin); }

PairedEstimate EstimateAgainstFactor(const CentredMoments& moments, double factor,
                                     const ArmSteps& steps) {
  CentredMoments scaled;
  scaled.n = moments.n;
  scaled.mean_difference = moments.mean_difference - (factor - 1) * moments.mean_b;
  scaled.s_bb = factor * factor * moments.s_bb;
  scaled.s_bc = factor * moments.s_bc;
  scaled.s_cc = moments.s_cc;
  PairedEstimate estimate = EstimateDifference(scaled);
  estimate.kappa = 0;
  estimate.allowance = steps.c + factor * steps.b;
  return estimate;
}

double ExactT(const PairedEstimate& estimate, double hypothesis) {
  const double excess = ExcessDistance(estimate.centre, hypothesis, estimate.allowance);
  if (excess == 0) return 0;
  const double distance = estimate.se == 0 ? kUnbounded : excess / estimate.se;
  return std::copysign(distance, estimate.centre - hypothesis);
}

LookDecision DecideExactT(double t, const CriticalValues& critical) {
  if (t > critical.low) return LookDecision::kRegression;
  if (t < -critical.high) return LookDecision::kPass;
  return LookDecision::kContinue;
}

std::optional<Interval> ExactRatioInterval(const CentredMoments& moments,
                                           const CriticalValues& critical, const ArmSteps& steps) {
  const double upper_b = moments.mean_b - steps.b;
  const double upper_c = moments.mean_c + steps.c;
  const double lower_b = moments.mean_b + steps.b;
  const double lower_c = moments.mean_c - steps.c;
  if (!(upper_b > 0)) return std::nullopt;
  const double n = Count(moments.n);
  const auto scaled = [n](double xi) { return xi * xi / n / (n - 1); };
  const std::optional<Excursion> upper =
      SolveRatio(moments, upper_b, upper_c, scaled(critical.high));
  if (!upper) return std::nullopt;
  Interval interval{-kUnbounded, std::log(upper_c / upper_b) + std::log1p(upper->above)};
  if (!(lower_c > 0)) return interval;
  const std::optional<Excursion> lower =
      SolveRatio(moments, lower_b, lower_c, scaled(critical.low));
  if (lower && lower->below > -1) {
    interval.lo = std::log(lower_c / lower_b) + std::log1p(lower->below);
  }
  return interval;
}

}  // namespace benchd

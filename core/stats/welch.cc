#include "core/stats/welch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

WelchEstimate FromVariances(const Moments& b, const Moments& c, double centre, double variance_b,
                            double variance_c) {
  WelchEstimate estimate{.n_b = b.count(),
                         .n_c = c.count(),
                         .centre = centre,
                         .variance_b = variance_b,
                         .variance_c = variance_c};
  const auto n_b = static_cast<double>(b.count());
  const auto n_c = static_cast<double>(c.count());
  if (b.count() < 2 || c.count() < 2) {
    estimate.se = kInfinity;
    estimate.information = std::min(n_b, n_c);
    return estimate;
  }
  // Each arm's part of the squared standard error. Dividing them cannot overflow.
  const double part_b = variance_b / n_b;
  const double part_c = variance_c / n_c;
  const double sum = part_b + part_c;
  if (!(sum > 0)) {
    estimate.dof = n_b + n_c - 2;
    estimate.information = 2 * n_b * (n_c / (n_b + n_c));
    return estimate;
  }
  const double share_b = part_b / sum;
  const double share_c = part_c / sum;
  estimate.se = std::sqrt(sum);
  estimate.dof = 1 / (share_b * share_b / (n_b - 1) + share_c * share_c / (n_c - 1));
  estimate.information = share_b * n_b + share_c * n_c;
  return estimate;
}

double RelativeVariance(const Moments& arm) {
  const double variation = arm.standard_deviation() / arm.mean();
  return variation * variation;
}

}  // namespace

WelchEstimate WelchEstimate::Mirrored() const {
  WelchEstimate mirrored = *this;
  mirrored.centre = -centre;
  std::swap(mirrored.n_b, mirrored.n_c);
  std::swap(mirrored.variance_b, mirrored.variance_c);
  return mirrored;
}

bool DifferenceDefined(const Moments& b, const Moments& c) {
  return b.count() > 0 && c.count() > 0 &&
         std::isfinite(b.mean() + c.mean() + b.variance() + c.variance());
}

bool RatioDefined(const Moments& b, const Moments& c) {
  return DifferenceDefined(b, c) && InRatioRange(b.mean()) && InRatioRange(c.mean());
}

WelchEstimate EstimateWelchRatio(const Moments& b, const Moments& c) {
  return FromVariances(b, c, std::log(c.mean() / b.mean()), RelativeVariance(b),
                       RelativeVariance(c));
}

WelchEstimate EstimateWelchDifference(const Moments& b, const Moments& c) {
  return FromVariances(b, c, c.mean() - b.mean(), b.variance(), c.variance());
}

bool NeedsAllowance(const Moments& raw_b, const Moments& raw_c, double resolution) {
  return NeedsAllowance(raw_b.standard_deviation(), raw_c.standard_deviation(), resolution);
}

double RatioAllowance(const Moments& raw_b, const Moments& raw_c, double resolution) {
  return RatioAllowance(raw_b.mean(), raw_c.mean(), resolution);
}

double AllowanceOn(Contrast scale, const Moments& raw_b, const Moments& raw_c, double resolution) {
  if (!NeedsAllowance(raw_b, raw_c, resolution)) return 0;
  return scale == Contrast::kLogRatio ? RatioAllowance(raw_b, raw_c, resolution)
                                      : DifferenceAllowance(resolution);
}

bool MayLook(const WelchEstimate& estimate, const SequentialBoundary& boundary) {
  return std::min(estimate.n_b, estimate.n_c) >= boundary.first_look();
}

double CriticalT(const WelchEstimate& estimate, const SequentialBoundary& boundary) {
  return boundary.CriticalTAtInformation(estimate.information, estimate.dof);
}

double FixedCriticalT(double alpha, const WelchEstimate& estimate) {
  return StudentTUpperQuantile(alpha / 2, estimate.dof);
}

Interval PlainInterval(const WelchEstimate& estimate, const CriticalValues& t) {
  return {estimate.centre - estimate.se * t.low - estimate.allowance,
          estimate.centre + estimate.se * t.high + estimate.allowance};
}

Interval PlainInterval(const WelchEstimate& estimate, double t) {
  return PlainInterval(estimate, CriticalValues{t, t});
}

Finding FindingAgainst(const WelchEstimate& estimate, double hypothesis) {
  const double excess = ExcessDistance(estimate.centre, hypothesis, estimate.allowance);
  const double distance = excess == 0 ? 0 : (estimate.se == 0 ? kInfinity : excess / estimate.se);
  return {.distance = distance,
          .dof = estimate.dof,
          .information = estimate.information,
          .direction = SignOf(estimate.centre)};
}

double FixedPValue(const WelchEstimate& estimate, double hypothesis) {
  return 2 * StudentTUpperTail(FindingAgainst(estimate, hypothesis).distance, estimate.dof);
}

Result<ClassicInterval> ClassicWelchInterval(const Moments& base, const Moments& candidate,
                                             double alpha) {
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1", "such as --confidence 99.9%");
  }
  if (base.count() < 2 || candidate.count() < 2) {
    return InvalidArgument("interval", "classic needs at least two values of each arm");
  }
  if (!DifferenceDefined(base, candidate)) {
    return InvalidArgument("interval", "classic: the values exceed the range of a double");
  }
  if (base.mean() == 0) {
    return InvalidArgument("interval", "classic: a change relative to a mean of 0 is undefined",
                           "omit --interval to see the difference");
  }
  ClassicInterval result;
  result.difference = EstimateWelchDifference(base, candidate);
  result.difference_interval =
      PlainInterval(result.difference, FixedCriticalT(alpha, result.difference));
  result.change = result.difference.centre / base.mean();
  const auto [lo, hi] = std::minmax(
      {result.difference_interval.lo / base.mean(), result.difference_interval.hi / base.mean()});
  result.change_interval = {lo, hi};
  return result;
}

}  // namespace benchd

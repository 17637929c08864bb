#include "core/stats/lognormal_mean.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// Beyond it 2 Q(z) is below the smallest double.
constexpr double kLargestZ = 37;

Result<void> CheckMoments(const Moments& reference, const Moments& candidate) {
  if (reference.count() < 2 || candidate.count() < 2) {
    return InvalidArgument("values", "an arm needs two or more for its spread");
  }
  if (!DifferenceDefined(reference, candidate)) {
    return InvalidArgument("values", "a logarithm is not finite",
                           "only positive values have a log-normal mean");
  }
  return {};
}

// How far half the variance of the logs may lie below and above the observed one.
struct Reach {
  double below = 0;
  double above = 0;
};

Reach HalfVarianceReach(const Moments& logs, double alpha) {
  const double half = logs.variance() / 2;
  const auto dof = static_cast<double>(logs.count() - 1);
  return {half - half * dof / ChiSquareUpperQuantile(alpha / 2, dof),
          half * dof / ChiSquareLowerQuantile(alpha / 2, dof) - half};
}

OneLook Mover(const Moments& reference, const Moments& candidate, double alpha) {
  const WelchEstimate means = EstimateWelchDifference(reference, candidate);
  OneLook look;
  look.estimate = means.centre + (candidate.variance() - reference.variance()) / 2;
  look.interval = Interval{look.estimate, look.estimate};
  if (means.se == 0) return look;
  const double mean_reach = FixedCriticalT(alpha, means) * means.se;
  const Reach b = HalfVarianceReach(reference, alpha);
  const Reach c = HalfVarianceReach(candidate, alpha);
  look.interval->lo -= std::hypot(mean_reach, c.below, b.above);
  look.interval->hi += std::hypot(mean_reach, c.above, b.below);
  return look;
}

}  // namespace

Result<OneLook> LognormalMeanRatio(const Moments& log_reference, const Moments& log_candidate,
                                   double alpha) {
  if (Result<void> checked = CheckMoments(log_reference, log_candidate); !checked)
    return checked.error();
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1");
  }
  return Mover(log_reference, log_candidate, alpha);
}

Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double widening) {
  if (Result<void> checked = CheckMoments(log_reference, log_candidate); !checked)
    return checked.error();
  const OneLook look = Mover(log_reference, log_candidate, 0.5);
  const double distance = std::abs(look.estimate - hypothesis) - widening;
  if (distance <= 0) return 1;
  if (look.interval->lo == look.interval->hi) return 0;
  const bool above = look.estimate > hypothesis;
  // What is left of the distance at the level 2 Q(z): falls with z, and is 0 at the one sought.
  const auto left = [&](double z) {
    const Interval interval =
        *Mover(log_reference, log_candidate, std::min(1.0, 2 * NormalUpperTail(z))).interval;
    return distance - (above ? look.estimate - interval.lo : interval.hi - look.estimate);
  };
  return std::min(1.0, 2 * NormalUpperTail(RootOfFalling(left, 0, 0, kLargestZ)));
}

}  // namespace benchd

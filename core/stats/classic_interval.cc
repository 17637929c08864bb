#include "core/stats/classic_interval.h"

#include <algorithm>

#include "core/base/error.h"

namespace benchd {

Result<ClassicInterval> ClassicWelchInterval(const Moments& base, const Moments& candidate,
                                             double alpha) {
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1", "such as --confidence 99.9%");
  }
  if (base.count() < 2 || candidate.count() < 2) {
    return InvalidArgument("interval", "classic needs at least two values of each arm");
  }
  if (!DifferenceDefined(base, candidate)) {
    return InvalidArgument("interval", "classic: the values leave the range of a double");
  }
  if (base.mean() == 0) {
    return InvalidArgument("interval", "classic: the base's mean is 0, nothing is relative to it",
                           "leave --interval out to see the difference");
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

#include "core/stats/decision.h"

#include <cmath>

namespace benchd {

MarginDecision DecideAgainst(const Interval& interval, double threshold) {
  if (interval.hi < threshold) return MarginDecision::kPass;
  if (interval.lo > threshold) return MarginDecision::kRegression;
  return MarginDecision::kContinue;
}

PrecisionDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                                double width) {
  if (!(shown.hi - shown.lo < width)) return PrecisionDecision::kContinue;
  switch (DecideAgainst(interval, threshold)) {
    case MarginDecision::kPass:
      return PrecisionDecision::kPass;
    case MarginDecision::kRegression:
      return PrecisionDecision::kRegression;
    case MarginDecision::kContinue:
      break;
  }
  return PrecisionDecision::kUndecided;
}

double LowerIsBetterThreshold(double margin) { return std::log1p(margin); }

double RateThreshold(double margin) { return -std::log1p(-margin); }

}  // namespace benchd

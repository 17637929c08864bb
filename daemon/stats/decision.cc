#include "daemon/stats/decision.h"

#include <cmath>

namespace benchd {

MarginDecision DecideAgainst(const Interval& interval, double threshold) {
  if (interval.hi < threshold) return MarginDecision::kPass;
  if (interval.lo > threshold) return MarginDecision::kRegression;
  return MarginDecision::kContinue;
}

double LowerIsBetterThreshold(double margin) { return std::log1p(margin); }

double RateThreshold(double margin) { return -std::log1p(-margin); }

}  // namespace benchd

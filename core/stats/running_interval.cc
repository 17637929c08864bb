#include "core/stats/running_interval.h"

#include <algorithm>

namespace benchd {

void RunningInterval::Take(const Interval& look, double rounding) {
  looked_ = true;
  const Interval common{std::max(ends_.lo, look.lo), std::min(ends_.hi, look.hi)};
  const bool by_rounding = common.lo > common.hi && common.lo - common.hi <= rounding;
  if (!by_rounding || empty()) ends_ = common;
}

std::optional<Interval> RunningInterval::value() const {
  if (!looked_ || empty()) return std::nullopt;
  return ends_;
}

}  // namespace benchd

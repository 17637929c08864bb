#include "core/stats/one_look.h"

#include "core/stats/tails.h"

namespace benchd {

double LevelOfOneLook(const SequentialBoundary& boundary, double clock) {
  return 2 * NormalUpperTail(boundary.ZAtClock(clock));
}

void RunningOneLookP::Update(double p, int direction, double clock,
                             const SequentialBoundary& boundary) {
  const double strength = boundary.StrengthAtClock(NormalUpperQuantile(p / 2), clock);
  const double value = boundary.PValue(strength);
  if (looked_ && value >= value_) return;
  looked_ = true;
  value_ = value;
  direction_ = direction;
}

}  // namespace benchd

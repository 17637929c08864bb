#include "core/stats/early_look.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/stats/exact_t.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

// In hundredths, from kFirstEarlyLook on.
constexpr std::array kEarlyShares{20, 40, 25, 10, 5};

// Returns the t of the mean of c - factor * b, positive if the candidate is above.
double TAgainst(const CentredMoments& analysed, double factor, const ArmSteps& allowed,
                const ArmSteps& steps) {
  PairedEstimate estimate = EstimateAgainstFactor(analysed, factor, allowed);
  RaiseToSteps(estimate, std::max(steps.c, factor * steps.b));
  return estimate.se > 0 ? ExactT(estimate, 0) : 0;
}

double OneSidedP(double t, std::uint64_t n) {
  return t > 0 ? StudentTUpperTail(t, static_cast<double>(n - 1)) : 1;
}

}  // namespace

double ShareOfEarlyLook(std::uint64_t n, std::uint64_t first) {
  assert(kFirstEarlyLook <= first && first <= n && n <= kLastEarlyLook);
  int all = 0;
  for (std::uint64_t i = first; i <= kLastEarlyLook; ++i) all += kEarlyShares[i - kFirstEarlyLook];
  return static_cast<double>(kEarlyShares[n - kFirstEarlyLook]) / all;
}

MultipleTest TestMultiples(const CentredMoments& raw, const CentredMoments& analysed,
                           double resolution) {
  const ArmSteps allowed = StepsOf(raw, analysed, resolution);
  // The step of 1/x is the same fraction of its mean as that of x.
  const ArmSteps steps{resolution * (analysed.mean_b / raw.mean_b),
                       resolution * (analysed.mean_c / raw.mean_c)};
  return {.slower = OneSidedP(TAgainst(analysed, kMultiple, allowed, steps), raw.n),
          .faster = OneSidedP(-TAgainst(analysed, 1 / kMultiple, allowed, steps), raw.n)};
}

double WithEarlyLooks(double boundary, double early) {
  return std::min({1.0, boundary / (1 - kShareOfEarlyLooks), 2 * early / kShareOfEarlyLooks});
}

}  // namespace benchd

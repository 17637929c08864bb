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

// Adds a spread of 0.6 steps to each arm. The step of 1/x is the same fraction of its mean as that
// of x.
CentredMoments WithSpreadOfSteps(const CentredMoments& raw, CentredMoments analysed,
                                 double resolution) {
  const auto square = [&](double mean, double raw_mean) {
    const double spread = kVisibleSteps * resolution * (mean / raw_mean);
    return static_cast<double>(analysed.n - 1) * spread * spread;
  };
  analysed.s_bb += square(analysed.mean_b, raw.mean_b);
  analysed.s_cc += square(analysed.mean_c, raw.mean_c);
  return analysed;
}

// Returns the t of the mean of c - factor * b, positive if the candidate is above.
double TAgainst(const CentredMoments& moments, double factor, const ArmSteps& steps) {
  const PairedEstimate estimate = EstimateAgainstFactor(moments, factor, steps);
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

double EarlyCriticalT(double level, std::uint64_t n, std::uint64_t first) {
  return StudentTUpperQuantile(level * ShareOfEarlyLook(n, first), static_cast<double>(n - 1));
}

MultipleTest TestMultiples(const CentredMoments& raw, const CentredMoments& analysed,
                           double resolution) {
  const ArmSteps steps = StepsOf(raw, analysed, resolution);
  const CentredMoments moments = WithSpreadOfSteps(raw, analysed, resolution);
  return {.slower = OneSidedP(TAgainst(moments, kMultiple, steps), raw.n),
          .faster = OneSidedP(-TAgainst(moments, 1 / kMultiple, steps), raw.n)};
}

std::optional<Interval> EarlyInterval(const CentredMoments& raw, const CentredMoments& analysed,
                                      double resolution, const CriticalValues& critical) {
  return ExactRatioInterval(WithSpreadOfSteps(raw, analysed, resolution), critical,
                            StepsOf(raw, analysed, resolution));
}

double WithEarlyLooks(double boundary, double early) {
  return std::min({1.0, boundary / (1 - kShareOfEarlyLooks), 2 * early / kShareOfEarlyLooks});
}

}  // namespace benchd

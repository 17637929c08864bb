#include "core/stats/pairing_gain.h"

#include <cmath>

#include "core/stats/paired_estimate.h"

namespace benchd {
namespace {

// With equal numbers of runs Welch's squared error is the sum of both variances over n.
std::optional<double> Gain(double se, const CentredMoments& m, double scale_b, double scale_c) {
  if (m.n < 2) return std::nullopt;
  const auto n = static_cast<double>(m.n);
  const double sum = m.s_bb * scale_b * scale_b + m.s_cc * scale_c * scale_c;
  if (!(sum > 0)) return std::nullopt;
  return se / std::sqrt(sum / (n * (n - 1)));
}

}  // namespace

std::optional<double> RatioPairingGain(const CentredMoments& m) {
  if (!RatioDefined(m)) return std::nullopt;
  return Gain(EstimateRatio(m).se, m, 1 / m.mean_b, 1 / m.mean_c);
}

std::optional<double> DifferencePairingGain(const CentredMoments& m) {
  if (!DifferenceDefined(m)) return std::nullopt;
  return Gain(EstimateDifference(m).se, m, 1, 1);
}

}  // namespace benchd

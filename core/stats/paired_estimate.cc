#include "core/stats/paired_estimate.h"

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

constexpr double kVisibleSteps = 0.6;

// u = y - x with x = (b - mean_b) * scale_b, y = (c - mean_c) * scale_c.
PairedEstimate FromSpread(const CentredMoments& m, double centre, double scale_b, double scale_c) {
  PairedEstimate estimate;
  estimate.n = m.n;
  estimate.centre = centre;
  const double bb = m.s_bb * scale_b * scale_b;
  const double cc = m.s_cc * scale_c * scale_c;
  const double v = cc - 2 * m.s_bc * scale_b * scale_c + bb;
  if (m.n < 2 || v <= kRoundingFactor * (bb + cc)) return estimate;
  const auto n = static_cast<double>(m.n);
  const double variance = v / (n - 1);
  estimate.se = std::sqrt(variance / n);
  if (m.n < 3) return estimate;
  const double m3 =
      m.s_ccc * scale_c * scale_c * scale_c - 3 * m.s_bcc * scale_b * scale_c * scale_c +
      3 * m.s_bbc * scale_b * scale_b * scale_c - m.s_bbb * scale_b * scale_b * scale_b;
  estimate.kappa = m3 * n / ((n - 1) * (n - 2)) / (variance * std::sqrt(variance)) / std::sqrt(n);
  return estimate;
}

}  // namespace

PairedEstimate PairedEstimate::Mirrored() const {
  PairedEstimate mirrored = *this;
  mirrored.centre = -centre;
  mirrored.kappa = -kappa;
  return mirrored;
}

bool InRatioRange(double mean) { return mean >= 1e-90 && mean <= 1e90; }

bool DifferenceDefined(const CentredMoments& m) {
  return m.n > 0 && std::isfinite(m.mean_b + m.mean_c + m.s_bb + m.s_bc + m.s_cc + m.s_bbb +
                                  m.s_bbc + m.s_bcc + m.s_ccc);
}

bool RatioDefined(const CentredMoments& m) {
  return DifferenceDefined(m) && InRatioRange(m.mean_b) && InRatioRange(m.mean_c);
}

PairedEstimate EstimateRatio(const CentredMoments& m) {
  return FromSpread(m, std::log(m.mean_c / m.mean_b), 1 / m.mean_b, 1 / m.mean_c);
}

PairedEstimate EstimateDifference(const CentredMoments& m) {
  return FromSpread(m, m.mean_difference, 1, 1);
}

bool NeedsWidening(const CentredMoments& raw, double resolution) {
  return NeedsWidening(raw.StandardDeviationB(), raw.StandardDeviationC(), resolution);
}

bool NeedsWidening(double raw_sd_b, double raw_sd_c, double resolution) {
  return std::min(raw_sd_b, raw_sd_c) < kVisibleSteps * resolution;
}

double RatioWidening(const CentredMoments& raw, double resolution) {
  return RatioWidening(raw.mean_b, raw.mean_c, resolution);
}

double RatioWidening(double raw_mean_b, double raw_mean_c, double resolution) {
  return resolution * (1 / raw_mean_b + 1 / raw_mean_c);
}

double DifferenceWidening(double resolution) { return 2 * resolution; }

}  // namespace benchd

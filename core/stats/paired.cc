#include "core/stats/paired.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

// Returns log(large / small) >= 0, even if the quotient overflows.
double LogQuotient(double large, double small) {
  const double quotient = large / small;
  return std::isfinite(quotient) ? std::log(quotient) : std::log(large) - std::log(small);
}

}  // namespace

Result<double> PairValue(double reference, double candidate, Contrast contrast) {
  if (!std::isfinite(reference) || !std::isfinite(candidate)) {
    return InvalidArgument("values", "a value is not a finite number");
  }
  if (contrast == Contrast::kDifference) return candidate - reference;
  if (!(reference > 0 && candidate > 0)) {
    return InvalidArgument("values", "a value is not greater than 0, so its pair has no ratio",
                           "use an absolute margin, --metric NAME:+ABS");
  }
  return candidate >= reference ? LogQuotient(candidate, reference)
                                : -LogQuotient(reference, candidate);
}

void InsertSorted(std::vector<double>& sorted, double value) {
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

namespace {

double StandardDeviation(double sum_of_squares, std::uint64_t n) {
  return n < 2 ? 0 : std::sqrt(sum_of_squares / static_cast<double>(n - 1));
}

}  // namespace

double CentredMoments::StandardDeviationB() const { return StandardDeviation(s_bb, n); }
double CentredMoments::StandardDeviationC() const { return StandardDeviation(s_cc, n); }

void PairedMoments::Add(double b, double c) {
  if (n_ == 0) {
    first_b_ = b;
    first_c_ = c;
  }
  ++n_;
  const double x = b - first_b_;
  const double y = c - first_c_;
  x_.Add(x);
  y_.Add(y);
  xx_.Add(x * x);
  yy_.Add(y * y);
  xy_.Add(x * y);
  xxx_.Add(x * x * x);
  xxy_.Add(x * x * y);
  xyy_.Add(x * y * y);
  yyy_.Add(y * y * y);
}

CentredMoments PairedMoments::Centred() const {
  CentredMoments m;
  if (n_ == 0) return m;
  const auto n = static_cast<double>(n_);
  const double x = x_.value();
  const double y = y_.value();
  const double xx = xx_.value();
  const double yy = yy_.value();
  const double xy = xy_.value();
  const double mx = x / n;
  const double my = y / n;
  m.n = n_;
  m.mean_b = first_b_ + mx;
  m.mean_c = first_c_ + my;
  m.mean_difference = (first_c_ - first_b_) + (my - mx);
  m.s_bb = std::max(0.0, xx - mx * x);
  m.s_cc = std::max(0.0, yy - my * y);
  m.s_bc = xy - mx * y;
  m.s_bbb = xxx_.value() - 3 * mx * xx + 2 * mx * mx * x;
  m.s_ccc = yyy_.value() - 3 * my * yy + 2 * my * my * y;
  m.s_bbc = xxy_.value() - my * xx - 2 * mx * xy + 2 * mx * mx * y;
  m.s_bcc = xyy_.value() - mx * yy - 2 * my * xy + 2 * my * my * x;
  return m;
}

namespace {

// Estimates from u = y - x with x = (b - mean_b) * scale_b, y = (c - mean_c) * scale_c.
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

namespace {

double Rounding(const CentredMoments& m, double size, double scale_b, double scale_c) {
  const double parts = m.s_bb * scale_b * scale_b + m.s_cc * scale_c * scale_c;
  const double dof = static_cast<double>(std::max<std::uint64_t>(m.n, 2) - 1);
  return kRoundingFactor * size + std::sqrt(kRoundingFactor * parts / dof);
}

}  // namespace

double RatioRounding(const CentredMoments& m) {
  return Rounding(m, 1 + std::abs(std::log(m.mean_c / m.mean_b)), 1 / m.mean_b, 1 / m.mean_c);
}

double DifferenceRounding(const CentredMoments& m) {
  return Rounding(m, std::abs(m.mean_b) + std::abs(m.mean_c), 1, 1);
}

bool NeedsAllowance(const CentredMoments& raw, double resolution) {
  return NeedsAllowance(raw.StandardDeviationB(), raw.StandardDeviationC(), resolution);
}

bool NeedsAllowance(double raw_sd_b, double raw_sd_c, double resolution) {
  return std::min(raw_sd_b, raw_sd_c) < kVisibleSteps * resolution;
}

double RatioAllowance(const CentredMoments& raw, double resolution) {
  return RatioAllowance(raw.mean_b, raw.mean_c, resolution);
}

double RatioAllowance(double raw_mean_b, double raw_mean_c, double resolution) {
  return resolution * (1 / raw_mean_b + 1 / raw_mean_c);
}

double DifferenceAllowance(double resolution) { return 2 * resolution; }

void RaiseToSteps(PairedEstimate& estimate, double step) {
  if (estimate.n < 2) return;
  const double least = kVisibleSteps * step / std::sqrt(static_cast<double>(estimate.n));
  if (estimate.se >= least) return;
  estimate.se = least;
  estimate.kappa = 0;
}

double ExcessDistance(double centre, double hypothesis, double allowance) {
  return std::max(0.0, std::abs(centre - hypothesis) - allowance);
}

namespace {

// Returns (3/kappa)(cbrt(1 + kappa (y - kappa/6)) - 1), without cancellation for small kappa.
double InverseHall(double kappa, double y) {
  const double shifted = y - kappa / 6;
  const double w = std::cbrt(1 + kappa * shifted);
  return 3 * shifted / (1 + w + w * w);
}

}  // namespace

CriticalValues GuardAgainstSkewness(double kappa, const CriticalValues& t) {
  return {std::max(t.low, InverseHall(kappa, t.low)),
          std::max(t.high, -InverseHall(kappa, -t.high))};
}

CriticalValues GuardAgainstSkewness(double kappa, double t) {
  return GuardAgainstSkewness(kappa, CriticalValues{t, t});
}

Interval GuardedInterval(const PairedEstimate& estimate, const CriticalValues& t) {
  return PlainInterval(estimate, GuardAgainstSkewness(estimate.kappa, t));
}

Interval GuardedInterval(const PairedEstimate& estimate, double t) {
  return GuardedInterval(estimate, CriticalValues{t, t});
}

Interval PlainInterval(const PairedEstimate& estimate, const CriticalValues& t) {
  return {estimate.centre - estimate.se * t.low - estimate.allowance,
          estimate.centre + estimate.se * t.high + estimate.allowance};
}

Interval PlainInterval(const PairedEstimate& estimate, double t) {
  return PlainInterval(estimate, CriticalValues{t, t});
}

double FixedCriticalT(double alpha, std::uint64_t n) {
  return StudentTUpperQuantile(alpha / 2, static_cast<double>(n - 1));
}

Interval ToChange(const Interval& log_ratio) {
  const auto change = [](double end) { return std::isinf(end) ? end : std::expm1(end); };
  return {change(log_ratio.lo), change(log_ratio.hi)};
}

Interval Mirror(const Interval& interval) { return {-interval.hi, -interval.lo}; }

namespace {

// Returns `se` divided by Welch's standard error. With equal numbers of runs, the square of the
// latter is the sum of both variances, divided by n.
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

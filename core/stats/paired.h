#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// An interval is widened by the metric's step if the values of an arm have a standard deviation of
/// less than this many steps (docs/statistics.md section 3, resolution).
inline constexpr double kVisibleSteps = 0.6;

/// The scale on which two arms are compared: ratios (margins in per cent) or differences (absolute
/// margins).
enum class Contrast { kLogRatio, kDifference };

/// Returns the value of a pair for the pairwise estimators (`hl`, `median`): log(candidate /
/// reference), or candidate - reference.
///
/// Swapping the arms exactly reverses the sign. Scaling both values by a power of two leaves the
/// log ratio bitwise unchanged. Any other factor changes it only by the rounding of the products
/// (an absolute error of a few 1e-16).
///
/// @errors kInvalidArgument if a value is not finite; for ratios also if one is not > 0.
Result<double> PairValue(double reference, double candidate, Contrast contrast);

/// Inserts a value into a sorted sample, which the ranked estimators need at every look. Takes O(n)
/// moves and O(log n) comparisons.
void InsertSorted(std::vector<double>& sorted, double value);

/// Means and centred co-moments of n pairs (b = reference, c = candidate). The co-moments are sums
/// over the pairs of products of powers of (b - mean_b) and (c - mean_c). For example, s_bbc is the
/// sum of (b - mean_b)^2 (c - mean_c).
struct CentredMoments {
  std::uint64_t n = 0;
  double mean_b = 0;
  double mean_c = 0;
  double mean_difference = 0;  ///< mean_c - mean_b, computed without cancellation
  double s_bb = 0;
  double s_bc = 0;
  double s_cc = 0;
  double s_bbb = 0;
  double s_bbc = 0;
  double s_bcc = 0;
  double s_ccc = 0;

  /// Returns the standard deviation with divisor n - 1; 0 for fewer than two pairs.
  double StandardDeviationB() const;
  double StandardDeviationC() const;
};

/// The state of one paired comparison: n and nine co-moment sums.
///
/// Ratio, difference, variance and skewness (docs/statistics.md section 3) can be computed from it
/// at any time. The sums are relative to the first pair and compensated, so neither a large common
/// offset nor a long session loses digits. Adding a pair takes O(1) time, and no memory.
/// Source of the compensation (TwoSum): D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
class PairedMoments {
 public:
  /// Adds a pair. `b` and `c` must be finite and in the same unit.
  void Add(double b, double c);

  std::uint64_t n() const { return n_; }
  /// Returns the means and centred co-moments; all are zero before the first pair.
  CentredMoments Centred() const;

 private:
  class Sum {
   public:
    void Add(double term) {
      const double total = value_ + term;
      const double part = total - value_;
      error_ += (value_ - (total - part)) + (term - part);
      value_ = total;
    }
    double value() const { return value_ + error_; }

   private:
    double value_ = 0;
    double error_ = 0;
  };

  std::uint64_t n_ = 0;
  double first_b_ = 0;
  double first_c_ = 0;
  Sum x_, y_, xx_, yy_, xy_, xxx_, xxy_, xyy_, yyy_;
};

/// The estimate from n pairs for the candidate against the reference, ready for an interval or a
/// p-value.
///
/// Worse is positive. `centre` is log(mean_c / mean_b) for ratios, and the mean difference for
/// absolute margins; `se` and `allowance` are on the same scale.
struct PairedEstimate {
  std::uint64_t n = 0;
  double centre = 0;
  double se = 0;     ///< standard error of `centre`; 0 if the pairs do not vary
  double kappa = 0;  ///< skewness of u over sqrt(n), dimensionless; 0 with fewer than three pairs
  double allowance = 0;  ///< the resolution's addition to each side

  /// Returns the estimate with the arms swapped.
  PairedEstimate Mirrored() const;
};

/// A spread of at most this multiple of its two parts is attributed to rounding.
inline constexpr double kRoundingFactor = 64 * std::numeric_limits<double>::epsilon();

/// Returns whether there is a pair and all moments are within the range of a double.
bool DifferenceDefined(const CentredMoments& moments);

/// Returns whether the mean is within 1e-90 .. 1e90, where ratios and their powers keep all digits.
bool InRatioRange(double mean);

/// Returns whether log(mean_c / mean_b) exists: DifferenceDefined() holds, and both means are
/// within 1e-90 .. 1e90, so that the cubes of the deviations keep their digits.
bool RatioDefined(const CentredMoments& moments);

/// Estimates centre = log(mean_c / mean_b) and the spread of u_i = c_i / mean_c - b_i / mean_b.
/// Needs RatioDefined().
///
/// The spread of u counts as 0 (se = kappa = 0) if it is within the rounding of its two parts:
/// sum(u^2) <= kRoundingFactor (s_bb / mean_b^2 + s_cc / mean_c^2).
/// Source: delta method; skewness: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
PairedEstimate EstimateRatio(const CentredMoments& moments);

/// Estimates centre = mean(c - b) and the spread of u_i = d_i - mean(d), for absolute margins, in
/// the unit of the values. Needs DifferenceDefined().
PairedEstimate EstimateDifference(const CentredMoments& moments);

/// Returns whether the steps of a metric affect the statistics: the smaller standard deviation is
/// below 0.6 steps.
///
/// `raw` describes the values as measured (not their inverses). `resolution` is the step in their
/// unit.
bool NeedsAllowance(const CentredMoments& raw, double resolution);
bool NeedsAllowance(double raw_sd_b, double raw_sd_c, double resolution);

/// Returns the difference that rounding may cause between two looks at values without spread. It
/// includes the spread that EstimateRatio() and EstimateDifference() treat as 0.
double RatioRounding(const CentredMoments& moments);
double DifferenceRounding(const CentredMoments& moments);

/// Returns the allowance for each end of the log ratio (q/mean_b + q/mean_c). For the difference,
/// the allowance is 2q.
double RatioAllowance(const CentredMoments& raw, double resolution);
double RatioAllowance(double raw_mean_b, double raw_mean_c, double resolution);
double DifferenceAllowance(double resolution);

/// Raises the standard error to that of pairs that vary by 0.6 steps, without skewness, if it is
/// smaller. For arms that vary by more: a few pairs of small counts often have equal differences by
/// chance, which does not show that the difference is known exactly.
/// @param step  the metric's step on the scale of `estimate`
void RaiseToSteps(PairedEstimate& estimate, double step);

/// Returns the distance beyond the resolution: |centre - hypothesis| - allowance, at least 0.
double ExcessDistance(double centre, double hypothesis, double allowance);

/// An interval with lo <= hi, on the scale of its source. An end is infinite if the data do not
/// bound it.
struct Interval {
  double lo = 0;
  double hi = 0;
  bool operator==(const Interval&) const = default;
};

/// The distances of an interval's ends below and above the estimate, in standard errors.
struct CriticalValues {
  double low = 0;
  double high = 0;
};

/// Applies the skewness guard. A t interval alone is too short on the side of a long tail, so each
/// side takes the larger of t and its inverse Hall transform. The result is never narrower than the
/// t interval.
///
/// @param kappa  PairedEstimate::kappa.
/// @param t      critical values > 0 of the t interval; one number applies to both ends.
/// Source: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
CriticalValues GuardAgainstSkewness(double kappa, const CriticalValues& t);
CriticalValues GuardAgainstSkewness(double kappa, double t);

/// Returns the interval of a look when watching, guarded against skewness and widened by the
/// resolution. `t` comes from SequentialBoundary::CriticalT().
Interval GuardedInterval(const PairedEstimate& estimate, const CriticalValues& t);
Interval GuardedInterval(const PairedEstimate& estimate, double t);

/// Returns the textbook interval for ONE look at a predetermined number of pairs, without the guard
/// but widened by the resolution. `t` comes from FixedCriticalT().
Interval PlainInterval(const PairedEstimate& estimate, const CriticalValues& t);
Interval PlainInterval(const PairedEstimate& estimate, double t);

/// Returns the critical t of one look at n >= 2 pairs: n - 1 degrees of freedom, upper tail
/// probability alpha / 2.
double FixedCriticalT(double alpha, std::uint64_t n);

/// Converts an interval from the log scale to relative changes: expm1 of both ends. An infinite end
/// stays infinite, because the runs do not show that a change is above -100 %.
Interval ToChange(const Interval& log_ratio);

/// Returns the interval of the negated quantity, with ends swapped and signs reversed.
Interval Mirror(const Interval& interval);

/// Returns the benefit of pairing: the standard error of the paired estimate, divided by that of
/// Welch's, which treats the values as independent. At 0.5, a quarter of the runs gives the same
/// interval; above 1, pairing does not help (docs/statistics.md section 8).
///
/// RatioPairingGain() needs RatioDefined(), DifferencePairingGain() needs DifferenceDefined().
///
/// @return std::nullopt for fewer than two pairs, or if neither arm varies.
std::optional<double> RatioPairingGain(const CentredMoments& moments);
std::optional<double> DifferencePairingGain(const CentredMoments& moments);

}  // namespace benchd

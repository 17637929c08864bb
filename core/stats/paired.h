#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The scale on which two arms are compared: ratios (margins in per cent) or differences (absolute
/// margins).
enum class Contrast { kLogRatio, kDifference };

/// One pair as the pairwise estimators (hl, median) use it: log(candidate / reference), or
/// candidate - reference.
///
/// Swapping the arms changes only the sign, exactly. Scaling both by a power of two leaves the log
/// ratio bitwise unchanged; any other factor changes it only by the rounding of the products (a few
/// 1e-16, absolute).
///
/// @errors kInvalidArgument if a value is not finite; for ratios also if one is not > 0.
Result<double> PairValue(double reference, double candidate, Contrast contrast);

/// Keeps a sample sorted as it grows: the ranked estimators take sorted values, and a session looks
/// at the same ones repeatedly. O(n) moves, O(log n) comparisons.
void InsertSorted(std::vector<double>& sorted, double value);

/// Means and centred co-moments of n pairs (b = reference, c = candidate): sums over the pairs of
/// powers of (b - mean_b) and (c - mean_c); s_bbc is the sum of (b - mean_b)^2 (c - mean_c).
struct CentredMoments {
  std::uint64_t n = 0;
  double mean_b = 0;
  double mean_c = 0;
  double mean_difference = 0;  ///< mean_c - mean_b, without the cancellation of that subtraction
  double s_bb = 0;
  double s_bc = 0;
  double s_cc = 0;
  double s_bbb = 0;
  double s_bbc = 0;
  double s_bcc = 0;
  double s_ccc = 0;

  /// Standard deviations with divisor n - 1; 0 for fewer than two pairs.
  double StandardDeviationB() const;
  double StandardDeviationC() const;
};

/// The state of one paired comparison: n and nine co-moment sums; O(1) time and memory per pair.
///
/// All that section 3 of the method needs (ratio or difference, variance, skewness) follows from it
/// at any time. The sums are relative to the first pair, so a large common offset costs no digits,
/// and compensated, so a long session costs none either. A value type.
/// Source of the compensation (TwoSum): D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
class PairedMoments {
 public:
  /// `b` and `c` are finite and in the same unit.
  void Add(double b, double c);

  std::uint64_t n() const { return n_; }
  /// All zeros before the first pair.
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
/// Worse is positive. `centre` is log(mean_c / mean_b) for ratios, the mean difference for absolute
/// margins; `se` and `allowance` are on the same scale.
struct PairedEstimate {
  std::uint64_t n = 0;
  double centre = 0;
  double se = 0;     ///< standard error of `centre`; 0 if the pairs do not vary
  double kappa = 0;  ///< skewness of u over sqrt(n), dimensionless; 0 with fewer than three pairs
  double allowance = 0;  ///< the resolution's addition to each side

  /// The same with the arms swapped.
  PairedEstimate Mirrored() const;
};

/// A spread counts only if it exceeds this multiple of its two parts; else it is rounding: 64 eps.
inline constexpr double kRoundingFactor = 64 * std::numeric_limits<double>::epsilon();

/// True if there is a pair and all moments are within the range of a double.
bool DifferenceDefined(const CentredMoments& moments);

/// Whether ratios and their powers keep all digits with this mean: within 1e-90 .. 1e90.
bool InRatioRange(double mean);

/// True if log(mean_c / mean_b) exists: as above, and both means within 1e-90 .. 1e90, so that the
/// cubes of the deviations keep their digits.
bool RatioDefined(const CentredMoments& moments);

/// centre = log(mean_c / mean_b), u_i = c_i / mean_c - b_i / mean_b; needs RatioDefined().
///
/// The spread of u counts as 0 (se = kappa = 0) if it is within the rounding of its two parts:
/// sum(u^2) <= kRoundingFactor (s_bb / mean_b^2 + s_cc / mean_c^2).
/// Source: delta method; skewness: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
PairedEstimate EstimateRatio(const CentredMoments& moments);

/// centre = mean(c - b), u_i = d_i - mean(d): the same for absolute margins, in the values' unit;
/// needs DifferenceDefined().
PairedEstimate EstimateDifference(const CentredMoments& moments);

/// Whether the steps of a metric affect the statistics: the smaller standard deviation is < 0.6
/// steps.
///
/// `raw` are the values as measured (not their inverses), `resolution` is the step in their unit.
bool NeedsAllowance(const CentredMoments& raw, double resolution);
bool NeedsAllowance(double raw_sd_b, double raw_sd_c, double resolution);

/// The rounding difference that two looks at values without spread may have. It includes the spread
/// that EstimateRatio() and EstimateDifference() treat as 0.
double RatioRounding(const CentredMoments& moments);
double DifferenceRounding(const CentredMoments& moments);

/// Allowance for each end of the log ratio (q/mean_b + q/mean_c) or of the difference (2q).
double RatioAllowance(const CentredMoments& raw, double resolution);
double RatioAllowance(double raw_mean_b, double raw_mean_c, double resolution);
double DifferenceAllowance(double resolution);

/// lo <= hi, on the scale of its source; an end may be infinite if the data do not bound it.
struct Interval {
  double lo = 0;
  double hi = 0;
  bool operator==(const Interval&) const = default;
};

/// Multiples of the standard error below and above the estimate.
struct CriticalValues {
  double low = 0;
  double high = 0;
};

/// The skewness guard: a t interval alone is too short on the side of a long tail. Each side
/// therefore takes the larger of t and its inverse Hall transform. Never narrower than the t
/// interval.
///
/// @param kappa  PairedEstimate::kappa.
/// @param t      critical value > 0 of the t interval.
/// Source: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
CriticalValues GuardAgainstSkewness(double kappa, double t);

/// The interval of a look when watching: guarded, and widened by the resolution; `t` from
/// SequentialBoundary::CriticalT().
Interval GuardedInterval(const PairedEstimate& estimate, double t);

/// The textbook interval for ONE look at a predetermined number of pairs: without the guard, but
/// widened by the resolution; `t` from FixedCriticalT().
Interval PlainInterval(const PairedEstimate& estimate, double t);

/// The t of that look: n - 1 degrees of freedom, upper tail probability alpha / 2; n >= 2.
double FixedCriticalT(double alpha, std::uint64_t n);

/// Converts from the log scale to relative changes: expm1 of both ends.
Interval ToChange(const Interval& log_ratio);

/// The interval of the negated quantity: ends swapped, signs reversed.
Interval Mirror(const Interval& interval);

/// The benefit of pairing: the standard error of the paired estimate, relative to Welch's, which
/// treats the values as independent. Dimensionless, >= 0. At 0.5, a quarter of the runs gives the
/// same interval; above 1, pairing does not help. docs/statistics.md section 8.
///
/// For the log ratio (needs RatioDefined()) and the difference (needs DifferenceDefined()).
///
/// @return std::nullopt for fewer than two pairs, or if neither arm varies.
std::optional<double> RatioPairingGain(const CentredMoments& moments);
std::optional<double> DifferencePairingGain(const CentredMoments& moments);

}  // namespace benchd

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/split_mix.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"

namespace benchd {

/// Number of resamples of each bootstrap (docs/statistics.md section 5).
inline constexpr int kBootstrapReplicates = 10000;
/// The smallest two-sided level with at least one resample beyond each end.
inline constexpr double kSmallestBootstrapLevel = 2.0 / kBootstrapReplicates;

/// An estimate with its bootstrap distribution, for ONE look only. It yields percentile intervals,
/// and p-values by inverting them. The same data in the same order and the same seed give the same
/// results. An object takes 80 kB.
///
/// The Monte Carlo error of an end is that of an order statistic of 10 000 values; there are no
/// intervals at levels below 2 / 10 000. Source: B. Efron, R. Tibshirani, An Introduction to the
/// Bootstrap, Chapman & Hall (1993), chapter 13.
class Bootstrap {
 public:
  /// @param replicates  the estimate of each resample, in any order; at least one.
  Bootstrap(double estimate, std::vector<double> replicates);

  double estimate() const { return estimate_; }

  /// Returns the type-7 quantiles alpha/2 and 1 - alpha/2 of the replicates.
  ///
  /// @errors kInvalidArgument if `alpha` is not below 1 or too small for the number of replicates.
  Result<Interval> At(double alpha) const;

  /// Returns 2 (1 + r) / (1 + number of replicates), at most 1, where r is the number of replicates
  /// on the rarer side of hypothesis -/+ allowance. Never 0, since the resamples cannot resolve
  /// less than 2 / 10 001.
  double PValue(double hypothesis, double allowance = 0) const;

 private:
  double estimate_;
  std::vector<double> sorted_;
};

/// Reproducible random indices for resampling. For speed, each number of SplitMix64 yields two.
class RandomIndex {
 public:
  /// Streams of the same seed are independent for all practical purposes. Use one per run or
  /// bootstrap.
  explicit RandomIndex(std::uint64_t seed, std::uint64_t stream = 0) : numbers_(seed, stream) {}

  /// Returns an exactly uniform index in [0, bound), for bounds from 1 to 2^32 - 1.
  /// Source: D. Lemire, ACM TOMACS 29 (2019) 3.
  std::uint32_t Below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{Next32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{Next32()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

 private:
  std::uint32_t Next32() {
    have_half_ = !have_half_;
    if (!have_half_) return static_cast<std::uint32_t>(whole_);
    whole_ = numbers_.Next();
    return static_cast<std::uint32_t>(whole_ >> 32U);
  }

  SplitMix64 numbers_;
  std::uint64_t whole_ = 0;
  bool have_half_ = false;
};

/// The relation between two arms: their k-th values belong to the same block (paired), or the arms
/// are independent.
enum class Pairing { kPaired, kIndependent };

/// The minimum number of values per arm for a quantile (docs/statistics.md section 5).
inline constexpr std::size_t kFewestForQuantile = 100;

/// Compares the P-quantiles (type 7) of candidate and reference for `quantile:P`, for ONE look
/// only. The result is the log of their ratio, or their difference. The bootstrap draws whole
/// blocks (paired) or each arm separately (independent). Takes O(10 000 n) time: tenths of a second
/// at 10 000 pairs.
///
/// The percentile bootstrap is the usual interval for quantiles. It cannot extend beyond the
/// extreme values, so use the interval only if QuantileIntervalPossible() holds. At a nominal 95 %,
/// the measured coverage is 96 to 97 % for P = 0.9, n = 100 and for P = 0.95, n = 300
/// (docs/validity.md).
///
/// @param p     in (0, 1); 0.99 is the slow end of times. For rates, pass 1/x.
/// @param seed  recorded with the session; the same seed and data give the same replicates.
/// @errors kInvalidArgument if an arm has fewer than 100 values or more than 2^31, a value is not
///         finite (for ratios: not > 0), paired arms differ in length, or `p` is out of range.
/// Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993);
///         for quantiles: P. J. Bickel, D. A. Freedman, Annals of Statistics 9 (1981) 1196-1217.
Result<Bootstrap> QuantileContrast(std::span<const double> reference,
                                   std::span<const double> candidate, double p, Contrast contrast,
                                   Pairing pairing, std::uint64_t seed);

/// Returns whether n values of an arm allow a distribution-free interval for their P-quantile at
/// the level alpha: p^n <= alpha/2 and (1-p)^n <= alpha/2. At 99 % confidence, the median needs 8
/// values and P = 0.99 needs 528. Source: H. A. David, H. N. Nagaraja, Order Statistics, Wiley
/// (2003), section 7.1.
bool QuantileIntervalPossible(std::size_t n, double p, double alpha);

/// Number of random subselections per run.
inline constexpr std::size_t kSubselections = 100;

/// Returns the size of one subselection of n >= 1 samples: max(1, floor(0.8 n + 1/2)).
std::size_t SubselectionSize(std::size_t n);

/// Returns the central value of one run by the advanced method of mmtests' document: the median
/// (mean of the 50th and 51st) of the means of 100 random selections, each of 80 % of the run's
/// samples, without replacement.
///
/// The value is not robust to one gross outlier: nine values near 10 and one of 100 give 21.2. This
/// function follows mmtests' document. mmtests' current code draws with replacement and rounds the
/// size down.
///
/// An arm's estimate is the mean over its runs, with Welch's interval over them, for ONE look only.
/// Pooling the samples of all runs gave 53 to 69 % false stars in a measurement.
///
/// @param kind  kHarmonic for rates: the harmonic mean of each selection.
/// @param seed  recorded with the session.
/// @param run   number of the run. Each run draws from its own stream of the seed, so its value
///              does not depend on earlier runs.
/// @errors kInvalidArgument if there is no sample or more than 2^31, one is not finite, or one is
///         not > 0 for a harmonic mean.
/// Source: mmtests, the document on comparing runs (docs/statistics.md section 5).
Result<double> SubselectedMean(std::span<const double> samples, MeanKind kind, std::uint64_t seed,
                               std::uint64_t run);

}  // namespace benchd

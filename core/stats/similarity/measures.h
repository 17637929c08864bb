#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The runs of one benchmark, each a series of values in time order; all have the same length.
using RunSeries = std::span<const std::vector<double>>;

/// With fewer values per run, the measures are meaningless. For example, runs of 8 values of pure
/// noise are always found dissimilar (docs/similarity.md has the rates).
inline constexpr std::size_t kFewestAssessableValues = 50;

/// Checks the preconditions for comparing runs.
///
/// @errors kInvalidArgument for fewer than two runs, a run without values, runs of unequal length,
///         or a value that is not finite. Messages count runs and values from 1.
Result<void> CheckRuns(RunSeries runs);

/// Returns the first values of each run, up to the length of the shortest run.
std::vector<std::vector<double>> CutToShortest(RunSeries runs);

/// Clips each run to its own 1 % and 99 % quantiles (type 7), which removes its spikes. Pooled
/// quantiles could clip away a whole run that differs from many others. CheckRuns() must hold.
std::vector<std::vector<double>> ClipSpikes(RunSeries runs);

/// A run with precomputed data for all its comparisons.
///
/// The scaled values are the values divided by a power of two that brings the largest into
/// [0.5, 1). The division is exact, and keeps squares within the range of a double.
struct PreparedRun {
  /// @param series  finite, at least one value.
  explicit PreparedRun(std::span<const double> series);

  std::vector<double> values;   ///< original values in time order
  int exponent = 0;             ///< values = scaled * 2^exponent
  std::vector<double> scaled;   ///< in time order
  std::vector<double> centred;  ///< `scaled` minus its mean; all 0 if the values are equal
  std::vector<double> sorted;   ///< original values, ascending
  double norm = 0;              ///< norm of `scaled`
  double centred_norm = 0;      ///< norm of `centred`; 0 only if the values are equal
};

/// The sums over two runs of equal length from which the measures are computed.
struct RunPairSums {
  double cosine = 0;       ///< of the angle between the runs; 1 if both are zero, 0 if only one is
  double correlation = 0;  ///< the cosine after subtracting the means
  double distance = 0;     ///< norm of the difference; like the next, in the larger run's scale
  double centred_distance = 0;
  double norm_x = 0;
  double norm_y = 0;
  double centred_norm_x = 0;
  double centred_norm_y = 0;
  double wave_hedges = 0;  ///< sum of |x - y| / max(|x|, |y|), 0 if both are equal
  double range = 0;        ///< of the values of both runs together
};

RunPairSums SumsOf(const PreparedRun& x, const PreparedRun& y);

/// M1 to M5 of two runs: dissimilarities in [0, 1], where 0 means alike.
///
/// - M1 = 1 - max(rho, 0), where rho is Pearson's correlation. 0 if both runs are constant, 1 if
///   only one is.
/// - M2 = clamp(2 min(c(XY), c(YX)) / (c(X) + c(Y)) - 1), where c counts the Lempel-Ziv phrases of
///   the runs' SAX words (words.h). It is 0 for equal words. The minimum over both orders makes the
///   measure symmetric.
/// - M3 = |F(x) - F(y)| / (|F(x)| + |F(y)|), where F is the full discrete Fourier transform. By
///   Parseval's theorem, this equals the same expression for the series themselves.
/// - M4 = 1 - max(cos, 0). The paper prints |X|^2 + |Y|^2 as the denominator of the cosine, which
///   would give 0.5 for X = Y. This implementation uses the true cosine.
/// - M5 = the Kolmogorov-Smirnov statistic.
///
/// Source: A. Bauer et al., Searching for the Ground Truth, ICPE '23 Companion.
using Measures = std::array<double, 5>;

/// The two interpretations of M2 and M3, whose details the paper leaves open.
enum class SimilarityVariant {
  kLiteral,  ///< M2: each run normalised separately; M3: all frequencies
  kShape,    ///< M2: breaks are quantiles of all runs' values; M3: without the mean (k = 0)
};

/// The measures of a pair of runs.
struct RunPair {
  std::size_t first = 0;  ///< < second
  std::size_t second = 0;
  Measures literal{};
  Measures shape{};
  /// SAME's dissimilarities, each in [0, 1]: 1 - cosine, Wave-Hedges / n, 1 - Kumar-Hassebrook,
  /// root mean square of the difference / range of both.
  std::array<double, 4> same{};

  const Measures& Of(SimilarityVariant variant) const {
    return variant == SimilarityVariant::kLiteral ? literal : shape;
  }
  /// Returns the mean of `same`.
  double SameDistance() const;
};

/// The comparison of all pairs of a set of runs. It keeps copies of the data that it needs.
///
/// M2 takes two thirds of the time. It is computed separately, because it is not needed if the
/// votes of the other four measures are already decisive.
class RunComparison {
 public:
  /// Computes everything but M2, which stays 0.
  /// @errors as for CheckRuns().
  static Result<RunComparison> Begin(RunSeries runs);

  /// Computes M2 of every pair in the given variant.
  void AddWords(SimilarityVariant variant);

  /// Returns the pairs in the order (0, 1), (0, 2), ..., (1, 2), ...
  std::span<const RunPair> pairs() const { return pairs_; }

 private:
  explicit RunComparison(RunSeries runs) : runs_(runs.begin(), runs.end()) {}

  std::vector<std::vector<std::uint8_t>> Words(SimilarityVariant variant) const;

  std::vector<PreparedRun> runs_;
  std::vector<RunPair> pairs_;
};

/// Computes all measures of all pairs. Takes about 100 ns per value and pair.
/// @errors as for RunComparison.
Result<std::vector<RunPair>> ComparePairs(RunSeries runs);

}  // namespace benchd

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The runs of one benchmark: each a series of values in order of measuring, all of one length.
using RunSeries = std::span<const std::vector<double>>;

/// Below this many values a run, the measures say nothing: pure noise of 8 values a run is called
/// dissimilar every time (docs/similarity.md has the rates).
inline constexpr std::size_t kFewestAssessableValues = 50;

/// Whether runs can be compared at all.
///
/// @errors kInvalidArgument, runs and values counted from 1: fewer than two runs, a run without a
///         value, runs of unequal length, a value that is not finite.
Result<void> CheckRuns(RunSeries runs);

/// The runs, each cut to the length of the shortest: its first values.
std::vector<std::vector<double>> CutToShortest(RunSeries runs);

/// Each run clipped to its own 1 % and 99 % quantiles (type 7): what is left of it without spikes.
/// A run's own, because pooled quantiles would clip away a whole run that differs, where there are
/// many. Runs as CheckRuns() wants them.
std::vector<std::vector<double>> ClipSpikes(RunSeries runs);

/// One run with everything that its comparison with others needs, made once.
///
/// The values are kept divided by a power of two that brings the largest one to [0.5, 1): exact,
/// and no square leaves the range of a double.
struct PreparedRun {
  /// @param series  finite, at least one value.
  explicit PreparedRun(std::span<const double> series);

  std::vector<double> values;   ///< as they are, in order of time
  int exponent = 0;             ///< values are `scaled` times 2^exponent
  std::vector<double> scaled;   ///< in order of time
  std::vector<double> centred;  ///< less their mean; all 0 when they are equal
  std::vector<double> sorted;   ///< the values as they are, ascending
  double norm = 0;              ///< of `scaled`
  double centred_norm = 0;      ///< of `centred`; 0 only when the values are equal
};

/// The sums over two runs of one length that the measures are made of.
struct RunPairSums {
  double cosine = 0;       ///< of the angle between the values; 1 for two zero runs, 0 for one
  double correlation = 0;  ///< likewise of the values less their means
  double distance = 0;     ///< norm of the difference, as the next ones in the larger run's scale
  double centred_distance = 0;
  double norm_x = 0;
  double norm_y = 0;
  double centred_norm_x = 0;
  double centred_norm_y = 0;
  double wave_hedges = 0;  ///< sum of |x - y| / max(|x|, |y|), 0 where both are equal
  double range = 0;        ///< of both runs' values together
};

RunPairSums SumsOf(const PreparedRun& x, const PreparedRun& y);

/// M1 to M5 of two runs: dissimilarities in [0, 1], 0 = alike.
///
/// - M1 = 1 - max(rho, 0), rho Pearson's correlation. Both runs constant: 0; one: 1.
/// - M2 = clamp(2 min(c(XY), c(YX)) / (c(X) + c(Y)) - 1), c the Lempel-Ziv phrases of the runs'
///   SAX words (words.h); equal words: 0. The smaller of both orders makes it symmetric.
/// - M3 = |F(x) - F(y)| / (|F(x)| + |F(y)|), F the full discrete Fourier transform; which is, by
///   Parseval's theorem, the same of the series themselves.
/// - M4 = 1 - max(cos, 0). The paper prints |X|^2 + |Y|^2 as the denominator of the cosine, which
///   gives 0.5 for X = Y: a slip, the true cosine is meant.
/// - M5 = the Kolmogorov-Smirnov statistic.
///
/// Source: A. Bauer et al., Searching for the Ground Truth, ICPE '23 Companion.
using Measures = std::array<double, 5>;

/// Two readings of what the paper leaves open in M2 and M3.
enum class SimilarityVariant {
  kLiteral,  ///< M2: each run normalised by itself; M3: all frequencies
  kShape,    ///< M2: borders are quantiles of all runs' values; M3: without the mean (k = 0)
};

/// Two runs side by side.
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
  /// Mean of `same`.
  double SameDistance() const;
};

/// All pairs of some runs, which it copies what it needs of.
///
/// M2 costs two thirds of everything and is added by itself: a vote of the other four that is clear
/// already does not need it.
class RunComparison {
 public:
  /// Everything but M2, which is 0.
  /// @errors those of CheckRuns().
  static Result<RunComparison> Begin(RunSeries runs);

  /// M2 of every pair in that variant.
  void AddWords(SimilarityVariant variant);

  /// (0, 1), (0, 2) ... (1, 2) ...
  std::span<const RunPair> pairs() const { return pairs_; }

 private:
  explicit RunComparison(RunSeries runs) : runs_(runs.begin(), runs.end()) {}

  std::vector<std::vector<std::uint8_t>> Words(SimilarityVariant variant) const;

  std::vector<PreparedRun> runs_;
  std::vector<RunPair> pairs_;
};

/// All of it at once. For each pair some 100 ns a value.
/// @errors those of RunComparison.
Result<std::vector<RunPair>> ComparePairs(RunSeries runs);

}  // namespace benchd

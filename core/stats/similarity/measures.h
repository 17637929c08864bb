#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/prepared_run.h"
#include "core/stats/similarity/runs.h"

namespace benchd {

/// M1 to M5 of two runs: dissimilarities in [0, 1], 0 = alike.
///
/// - M1 = 1 - max(rho, 0), rho Pearson's correlation. Both runs constant: 0; one: 1.
/// - M2 = clamp(2 min(c(XY), c(YX)) / (c(X) + c(Y)) - 1), c the Lempel-Ziv phrases of the runs'
///   SAX words (lz76.h, sax.h); equal words: 0. The smaller of both orders makes it symmetric.
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The number of runs (maximal sequences of equal labels), compared with the number in a random
/// order.
struct RunsTest {
  std::size_t runs = 0;
  double expected = 0;
  double z = 0;  ///< standardised; negative: equal labels cluster; positive: they alternate
  bool operator==(const RunsTest&) const = default;
};

/// A sequence of labels in time order, reduced to the counts that TestRuns() needs. Memory grows
/// with the number of different labels, not with the length of the sequence. Labels are small
/// integers, such as the index of each row's arm.
class LabelRuns {
 public:
  void Add(std::size_t label);

  /// Returns the number of occurrences of each label.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::uint64_t runs() const { return runs_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t runs_ = 0;
  std::size_t last_ = 0;
};

/// Performs the runs test for two or more labels. Labels that do not occur are ignored.
///
/// @return std::nullopt if the number of runs does not depend on the order: fewer than two labels
///         occur, or each occurs once.
/// Source: A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162; more than two labels:
///         D. E. Barton, F. N. David, Biometrika 44 (1957) 168-178.
std::optional<RunsTest> TestRuns(const LabelRuns& labels);

/// Returns whether the arms of a table were measured in clusters instead of interleaved: z < -2.576
/// (0.5 %), or every arm has at least two rows and is contiguous (docs/statistics.md section 8).
///
/// In that case, drift of the machine looks like a difference between arms.
bool NotInterleaved(const LabelRuns& arms);

/// The greatest distance between the empirical distribution functions of two samples.
struct KolmogorovSmirnov {
  double statistic = 0;  ///< in [0, 1]
  double p = 1;          ///< two-sided, in [0, 1]
  bool exact = true;     ///< false: p is asymptotic, see CompareDistributions()
  bool operator==(const KolmogorovSmirnov&) const = default;
};

/// The largest product of the two sizes for which p is exact (5000 times 5000). Time grows with the
/// product, at about 2 ns per unit; memory grows with the sum of the sizes.
inline constexpr std::size_t kLargestExactProduct = 25'000'000;

/// Tests whether two samples have the same distribution. The test is sensitive to both shape and
/// location. To compare only shapes, scale the samples first.
///
/// p is the share of all assignments of the pooled values to the two samples that have at least the
/// observed distance. It is therefore exact even with ties, and has full relative precision even if
/// tiny. Beyond kLargestExactProduct, p is Smirnov's limit, which is conservative (too large) with
/// ties.
///
/// @errors kInvalidArgument if a sample is empty or a value is not finite.
/// Source: M. Schroeer, D. Trenkler, Comput. Statist. Data Anal. 20 (1995) 185-202; the limit:
///         N. V. Smirnov, Ann. Math. Statist. 19 (1948) 279-281.
Result<KolmogorovSmirnov> CompareDistributions(std::span<const double> x,
                                               std::span<const double> y);

/// Returns the statistic alone, for two non-empty samples in ascending order without NaN. Takes
/// time linear in their sizes.
double SortedDistance(std::span<const double> x, std::span<const double> y);

}  // namespace benchd

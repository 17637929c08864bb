#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The number of runs (maximal sequences of equal labels), compared with that in a random order.
struct RunsTest {
  std::size_t runs = 0;
  double expected = 0;
  double z = 0;  ///< standardised; negative: equal labels cluster; positive: they alternate
  bool operator==(const RunsTest&) const = default;
};

/// A sequence of labels, in order of time, reduced to what the test below needs: memory per label,
/// not per place in the sequence. Labels are small integers, such as the index of each row's arm.
class LabelRuns {
 public:
  void Add(std::size_t label);

  /// Number of occurrences of each label.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::uint64_t runs() const { return runs_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t runs_ = 0;
  std::size_t last_ = 0;
};

/// The runs test for two or more labels; labels that do not occur are ignored.
///
/// @return std::nullopt if the number of runs is not random: fewer than two labels occur, or each
///         occurs once.
/// Source: A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162; more than two labels:
///         D. E. Barton, F. N. David, Biometrika 44 (1957) 168-178.
std::optional<RunsTest> TestRuns(const LabelRuns& labels);

/// Whether the arms of a table were measured in clusters instead of interleaved: z < -2.576
/// (0.5 %), or every arm, of at least two rows, is contiguous. docs/statistics.md section 8.
///
/// If so, a machine that drifts looks like a difference between arms.
bool NotInterleaved(const LabelRuns& arms);

/// The greatest distance between the empirical distribution functions of two samples.
struct KolmogorovSmirnov {
  double statistic = 0;  ///< in [0, 1]
  double p = 1;          ///< two-sided, in [0, 1]
  bool exact = true;     ///< false: p is asymptotic, see below
  bool operator==(const KolmogorovSmirnov&) const = default;
};

/// Up to this product of the two sizes (5000 times 5000), p is exact. Time grows with the product,
/// at about 2 ns each, memory with the sum of the sizes.
inline constexpr std::size_t kLargestExactProduct = 25'000'000;

/// Tests whether two samples have the same distribution. Sensitive to shape and location alike: to
/// compare only shapes, scale the samples first.
///
/// p is the share of all assignments of the pooled values to the two samples with at least this
/// distance. It is therefore exact with ties, and has full relative precision even if tiny. Beyond
/// kLargestExactProduct it is Smirnov's limit, which is conservative (too large) for ties.
///
/// @errors kInvalidArgument if a sample is empty or a value is not finite.
/// Source: M. Schroeer, D. Trenkler, Comput. Statist. Data Anal. 20 (1995) 185-202; the limit:
///         N. V. Smirnov, Ann. Math. Statist. 19 (1948) 279-281.
Result<KolmogorovSmirnov> CompareDistributions(std::span<const double> x,
                                               std::span<const double> y);

/// The statistic alone, for two non-empty samples in ascending order without NaN; linear in their
/// sizes.
double SortedDistance(std::span<const double> x, std::span<const double> y);

}  // namespace benchd

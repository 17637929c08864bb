#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// In how many stretches of equal labels a sequence comes, against what chance would give.
struct RunsTest {
  std::size_t runs = 0;
  double expected = 0;
  double z = 0;  ///< standardised; negative: labels come in stretches; positive: they alternate
  bool operator==(const RunsTest&) const = default;
};

/// A sequence of labels as far as the test below needs it: memory for each label, none for each
/// place in the sequence (in order of time). Labels are small whole numbers, such as the index of
/// each row's arm.
class LabelRuns {
 public:
  void Add(std::size_t label);

  /// How often each label came, by label.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::uint64_t runs() const { return runs_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t runs_ = 0;
  std::size_t last_ = 0;
};

/// Two labels or more; those that do not occur do not matter.
///
/// @return nothing where the number of runs is no matter of chance: fewer than two labels occur, or
///         each occurs once.
/// Source: A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162; more than two labels:
///         D. E. Barton, F. N. David, Biometrika 44 (1957) 168-178.
std::optional<RunsTest> TestRuns(const LabelRuns& labels);

/// Whether the arms of a table were measured in stretches instead of in turn: z < -2.576 (0.5 %),
/// or every arm, with two rows at least, in one piece. docs/statistics.md section 8.
///
/// A machine that drifts then looks like a difference between arms.
bool NotInterleaved(const LabelRuns& arms);

/// Two samples' greatest distance between their empirical distribution functions.
struct KolmogorovSmirnov {
  double statistic = 0;  ///< in [0, 1]
  double p = 1;          ///< two-sided, in [0, 1]
  bool exact = true;     ///< false: p is the law for large samples, see below
  bool operator==(const KolmogorovSmirnov&) const = default;
};

/// Up to this product of the two sizes (5000 times 5000) p is exact: time grows with the product,
/// 2 ns or so each, memory with the sum of the sizes.
inline constexpr std::size_t kLargestExactProduct = 25'000'000;

/// Are two samples drawn from one law? Sensitive to shape and place alike: scale the samples first
/// where only the shape is asked for.
///
/// p is the share of all ways to deal the pooled values out to the two samples that come at least
/// as far apart, so it is exact with ties too, with full relative precision for a tiny p. Beyond
/// kLargestExactProduct it is Smirnov's limit, which for ties is on the safe side (too large).
///
/// @errors kInvalidArgument if a sample is empty or a value is not finite.
/// Source: M. Schroeer, D. Trenkler, Comput. Statist. Data Anal. 20 (1995) 185-202; the limit:
///         N. V. Smirnov, Ann. Math. Statist. 19 (1948) 279-281.
Result<KolmogorovSmirnov> CompareDistributions(std::span<const double> x,
                                               std::span<const double> y);

/// The statistic alone, of two samples in ascending order without a NaN, each of one value at
/// least: linear in their sizes.
double SortedDistance(std::span<const double> x, std::span<const double> y);

}  // namespace benchd

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/session.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// The figures of mmtests' report for one arm in one metric, in the metric's unit. A figure is
/// absent if it is not defined for the sample (docs/statistics.md section 7).
struct ArmSummary {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::optional<Better> better;
  std::uint64_t n = 0;
  double min = 0;
  double lower_quartile = 0;  ///< type 7, like the next two fields
  double median = 0;
  double upper_quartile = 0;
  double max = 0;
  std::optional<double> mean;  ///< harmonic if higher is better, like the next three fields
  std::optional<double> standard_deviation;
  std::optional<double> variation;  ///< standard_deviation / mean, as a fraction
  std::optional<double> best_mean;  ///< mean of the best 95 %
  /// References from which the arm differs by the rule for stars.
  std::vector<std::string> starred;
};

/// The distribution of one arm's values in one metric over bins.
struct ArmHistogram {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::vector<double> edges;          ///< ascending; the same for all arms of a metric
  std::vector<std::uint64_t> counts;  ///< one element fewer than edges
};

/// The values of each arm in each metric, in row order. They are the input of all figures.
class TableValues {
 public:
  /// Keeps references: `table` and `plan` must outlive this object.
  TableValues(const MeasurementTable& table, const TablePlan& plan);

  /// Returns the values of one arm in one metric. `benchmark` and `arm` are indices into the plan's
  /// spec, and `slot` is an index into PlannedBenchmark::metrics.
  std::vector<double> Of(std::size_t benchmark, std::size_t slot, std::size_t arm) const;

 private:
  const MeasurementTable& table_;
  const TablePlan& plan_;
  std::vector<std::vector<std::vector<std::uint32_t>>> rows_;  // [benchmark][arm]
};

/// The maximum number of bins of a histogram that fits a terminal.
inline constexpr std::size_t kMostTableBins = 40;

/// Returns the summary of each arm in each metric for which it has values. Candidates get stars
/// against each reference, by Welch's test or by mmtests' bands.
std::vector<ArmSummary> Summaries(const TablePlan& plan, const TableValues& values,
                                  bool mmtests_stars);

/// Returns the histograms of the arms in each metric over common bins. Omits a metric whose range
/// exceeds that of a double.
std::vector<ArmHistogram> Histograms(const TablePlan& plan, const TableValues& values);

/// Replaces the change and difference of every comparison by the interval of `--interval classic`,
/// at the level that the user states. The p-value and verdict remain those of the one look of
/// Welch's test on the log ratio. If the interval does not exist, change and difference are absent,
/// and the warning `no_classic_interval` gives the reason.
void ApplyClassicIntervals(const TablePlan& plan, const TableValues& values, Report& report);

/// The lower and upper end of a range, in the unit of the values.
using ValueEnds = std::pair<double, double>;

/// Returns Tukey's fences. Values outside them are outliers. Returns nothing if there are no
/// values.
std::optional<ValueEnds> OutlierFences(std::span<const double> values);

/// Returns the range of the values of several arms. Ignores values that lie more than four
/// interquartile ranges from the quartiles of their arm, because they would leave too little room
/// for the others. Returns nothing if there are no values.
std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms);

/// The distribution of one arm's values.
struct ArmDistribution {
  std::size_t n = 0;
  double mean = 0;
  std::vector<std::uint64_t> counts;  ///< counts by bin
  std::size_t below = 0;              ///< number of values below the usual range
  std::size_t above = 0;
  /// The centres of cells (x) and the density there, per unit of the values. Both are empty if all
  /// values are equal, or if their steps are too coarse for a curve.
  std::vector<double> x;
  std::vector<double> density;
};

/// The distributions of several arms over common bins within their usual range.
struct Distributions {
  std::vector<double> edges;  ///< ascending; one more than there are bins
  std::vector<ArmDistribution> arms;

  /// Returns the share of an arm's values in a bin, per unit of the values, so that it is
  /// comparable with the density.
  double Height(std::size_t arm, std::size_t bin) const;
  double Highest() const;  ///< maximum of all bins and curves
};

/// Computes the bins with CountInCommonBins(), and the curves with KernelDensity() and Silverman's
/// bandwidth.
///
/// @param arms        the values of each arm: at least one, all finite
/// @param resolution  the step of the values; 0 = unknown
/// @errors those of CountInCommonBins()
Result<Distributions> DistributeValues(std::span<const std::span<const double>> arms,
                                       double resolution);

}  // namespace benchd

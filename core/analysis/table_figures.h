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
/// absent if the sample does not have it (docs/statistics.md section 7).
struct ArmSummary {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::optional<Better> better;
  std::uint64_t n = 0;
  double min = 0;
  double lower_quartile = 0;  ///< type 7, like the next two
  double median = 0;
  double upper_quartile = 0;
  double max = 0;
  std::optional<double> mean;  ///< harmonic if higher is better, like the next three
  std::optional<double> standard_deviation;
  std::optional<double> variation;   ///< standard_deviation / mean, a fraction
  std::optional<double> best_mean;   ///< of the best 95 %
  std::vector<std::string> starred;  ///< references from which it differs by the rule for stars
};

/// The distribution of one arm's values in one metric over bins.
struct ArmHistogram {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::vector<double> edges;          ///< ascending; the same for all arms of a metric
  std::vector<std::uint64_t> counts;  ///< one fewer than edges
};

/// The values of each arm in each metric, in row order: the input of all figures.
class TableValues {
 public:
  /// `table` and `plan` must outlive this object.
  TableValues(const MeasurementTable& table, const TablePlan& plan);

  /// Benchmark and arm are those of the plan's spec; `slot` is an index into
  /// PlannedBenchmark::metrics.
  std::vector<double> Of(std::size_t benchmark, std::size_t slot, std::size_t arm) const;

 private:
  const MeasurementTable& table_;
  const TablePlan& plan_;
  std::vector<std::vector<std::vector<std::uint32_t>>> rows_;  // [benchmark][arm]
};

/// Most bins of a histogram that fit a terminal.
inline constexpr std::size_t kMostTableBins = 40;

/// The summary of each arm in each metric for which it has values. Candidates have stars against
/// each reference, by Welch's test or by mmtests' bands.
std::vector<ArmSummary> Summaries(const TablePlan& plan, const TableValues& values,
                                  bool mmtests_stars);

/// The arms of each metric over common bins; omitted if the range exceeds that of a double.
std::vector<ArmHistogram> Histograms(const TablePlan& plan, const TableValues& values);

/// `--interval classic`: replaces change and difference of every comparison by that interval, at
/// the level that the user states. p and verdict stay those of the one look of Welch's test on the
/// log ratio. If the interval does not exist, change and difference are absent, and the warning
/// `no_classic_interval` gives the reason.
void ApplyClassicIntervals(const TablePlan& plan, const TableValues& values, Report& report);

/// Both ends, in the unit of the values.
using ValueEnds = std::pair<double, double>;

/// Tukey's fences: values outside them are outliers. Nothing without values.
std::optional<ValueEnds> OutlierFences(std::span<const double> values);

/// The range of several arms' values, without values more than four interquartile ranges from the
/// quartiles of their arm, which would leave no room for the rest. Nothing without values.
std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms);

/// The distribution of one arm's values.
struct ArmDistribution {
  std::size_t n = 0;
  double mean = 0;
  std::vector<std::uint64_t> counts;  ///< by bin
  std::size_t below = 0;              ///< the usual range
  std::size_t above = 0;
  /// Centres of cells and the density there, per unit of the values. Empty if all values are equal,
  /// or if their steps are too coarse for a curve.
  std::vector<double> x;
  std::vector<double> density;
};

/// Several arms over common bins within their usual range.
struct Distributions {
  std::vector<double> edges;  ///< ascending; one more than bins
  std::vector<ArmDistribution> arms;

  /// The share of an arm's values in a bin, per unit of the values, so it is comparable with the
  /// density.
  double Height(std::size_t arm, std::size_t bin) const;
  double Highest() const;  ///< of all bins and curves
};

/// Bins by CountInCommonBins(), curves by KernelDensity() with Silverman's bandwidth.
///
/// @param arms        each with at least one value, all finite
/// @param resolution  the step of the values, 0 when unknown
/// @errors those of CountInCommonBins()
Result<Distributions> DistributeValues(std::span<const std::span<const double>> arms,
                                       double resolution);

}  // namespace benchd

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

/// What mmtests' report says of one arm in one metric; in the metric's unit. Absent what a sample
/// does not have (docs/statistics.md section 7).
struct ArmSummary {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::optional<Better> better;
  std::uint64_t n = 0;
  double min = 0;
  double lower_quartile = 0;  ///< type 7, as the next two
  double median = 0;
  double upper_quartile = 0;
  double max = 0;
  std::optional<double> mean;  ///< harmonic where higher is better, as the next three
  std::optional<double> standard_deviation;
  std::optional<double> variation;   ///< standard_deviation / mean, a fraction
  std::optional<double> best_mean;   ///< of the best 95 %
  std::vector<std::string> starred;  ///< references from which it differs by the rule of the stars
};

/// How often values of one arm in one metric fall between two edges.
struct ArmHistogram {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::vector<double> edges;          ///< ascending; the same for all arms of a metric
  std::vector<std::uint64_t> counts;  ///< one less than edges
};

/// The values of each arm in each metric, in row order: what the figures are of.
class TableValues {
 public:
  /// `table` and `plan` outlive this.
  TableValues(const MeasurementTable& table, const TablePlan& plan);

  /// By benchmark and arm as in the plan's spec; `slot` is an index into PlannedBenchmark::metrics.
  std::vector<double> Of(std::size_t benchmark, std::size_t slot, std::size_t arm) const;

 private:
  const MeasurementTable& table_;
  const TablePlan& plan_;
  std::vector<std::vector<std::vector<std::uint32_t>>> rows_;  // [benchmark][arm]
};

/// Most bins of a histogram: what fits a terminal.
inline constexpr std::size_t kMostTableBins = 40;

/// The summary of every arm in every metric of which it has values. Candidates carry stars against
/// each reference, by Welch's test or by mmtests' bands.
std::vector<ArmSummary> Summaries(const TablePlan& plan, const TableValues& values,
                                  bool mmtests_stars);

/// The arms of each metric over common bins; left out where the range is beyond that of a double.
std::vector<ArmHistogram> Histograms(const TablePlan& plan, const TableValues& values);

/// `--interval classic`: puts that interval, at the level the user states, in the place of change
/// and difference of every comparison; p and verdict stay those of the one look of Welch's test on
/// the log ratio. Where it does not exist, change and difference are absent and a warning
/// `no_classic_interval` says why.
void ApplyClassicIntervals(const TablePlan& plan, const TableValues& values, Report& report);

/// Both ends, in the unit of the values.
using ValueEnds = std::pair<double, double>;

/// Tukey's fences: an arm's values beyond them are outliers. Nothing without values.
std::optional<ValueEnds> OutlierFences(std::span<const double> values);

/// All values of several arms, less those that would leave no room for the rest: beyond four
/// interquartile ranges from the quartiles of their arm. Nothing without values.
std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms);

/// How the values of one arm are spread.
struct ArmDistribution {
  std::size_t n = 0;
  double mean = 0;
  std::vector<std::uint64_t> counts;  ///< by bin
  std::size_t below = 0;              ///< the usual range
  std::size_t above = 0;
  /// Middles of cells and the density there, per unit of the values; empty where there is none:
  /// values that are all equal, or steps coarser than a curve could show.
  std::vector<double> x;
  std::vector<double> density;
};

/// Several arms over common bins within their usual range.
struct Distributions {
  std::vector<double> edges;  ///< ascending; one more than bins
  std::vector<ArmDistribution> arms;

  /// The share of an arm's values in a bin, per unit of the values: as high as its density.
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

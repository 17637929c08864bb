#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/run.h"

namespace benchd {

/// Properties of a metric's values, either of all values or of the values since the gates were
/// fixed.
struct CommonValue {
  bool any = false;                     ///< there is at least one value
  bool positive = true;                 ///< every value is > 0, as a ratio requires
  std::optional<double> constant = {};  ///< the value that all samples share; absent if they differ
  double least = 0;                     ///< the smallest value

  void Add(double value);
};

/// A metric of the comparison. Each inner benchmark of a harness has separate metrics, named
/// INNER/NAME.
struct KnownMetric {
  std::string key;  ///< NAME or INNER/NAME, as users write and read it
  std::string unit;
  /// The direction in effect, from a gate of the spec or else from a run.
  std::optional<Better> better;
  double resolution = 0;  ///< the finest step so far, in `unit`; 0 = unknown
  bool builtin = false;
  CommonValue all = {};       ///< properties of all samples so far
  CommonValue later = {};     ///< properties of the samples since MetricCatalog::BeginLater()
  std::string name = {};      ///< NAME without INNER/
  bool by_name_only = false;  ///< MetricInfo::by_name_only is true in every run
  /// The first direction that a run printed.
  std::optional<Better> printed = {};
};

/// The catalog of metrics that the runs of one benchmark have shown so far, in order of appearance.
///
/// Each metric gets a number, so that the samples of a block can be sorted without comparing names.
/// The unit is that of the first appearance, and the direction is the first one printed before
/// HoldDirections(), so the order of the arms does not affect them. The resolution is the finest
/// one. Descriptions of a run (Run::metrics) are looked up by INNER/NAME, then by NAME.
class MetricCatalog {
 public:
  /// @param of_benchd  whether built-in names denote built-in metrics; otherwise the runs define
  /// their meaning
  explicit MetricCatalog(bool of_benchd = true) : of_benchd_(of_benchd) {}

  /// Adds the metrics of one run. On return, ids[i] is the number of the metric of run.samples[i].
  void Learn(const Run& run, std::vector<std::size_t>& ids);

  const std::vector<KnownMetric>& metrics() const { return metrics_; }
  std::optional<std::size_t> Find(std::string_view key) const;
  /// Returns whether a run of this arm has shown the metric. Returns true for an arm without runs.
  bool ShownBy(std::size_t arm, std::size_t id) const;
  /// Returns the error that two runs printed one metric in different units, so that nothing can be
  /// compared.
  const std::optional<Error>& conflict() const { return conflict_; }
  /// Returns the metrics for which runs printed both directions, lower and higher.
  const std::vector<std::size_t>& with_both_directions() const { return with_both_directions_; }
  /// Fixes the directions. A metric without a direction does not get one any more, because its
  /// values have already been summed.
  void HoldDirections() { directions_held_ = metrics_.size(); }
  /// Records the properties of later samples separately. Call it when the gates are fixed.
  void BeginLater() { is_later_ = true; }
  /// Applies `--metric NAME:higher`, which overrides the printed direction.
  void SetDirection(std::size_t id, Better better) { metrics_[id].better = better; }

  /// Lists the first twenty keys for an error message, such as "wall_time, ns/op".
  std::string ListOfKeys() const;

 private:
  std::size_t IdOf(const Sample& sample);
  void Take(const Sample& sample, const MetricInfo* info, bool is_new, std::size_t id);
  void TakeDirection(Better printed, std::size_t id);

  bool of_benchd_;
  std::vector<KnownMetric> metrics_;
  std::map<std::string, std::size_t, std::less<>> ids_;
  std::vector<std::vector<bool>> shown_;  // by arm, then by metric
  std::optional<Error> conflict_;
  std::vector<std::size_t> with_both_directions_;
  std::size_t directions_held_ = 0;  // directions are fixed for metrics below this number
  bool is_later_ = false;
  std::string scratch_;
};

/// The mean of a metric's values: harmonic for rates, arithmetic for other metrics.
///
/// It is exact if all values are equal, so that a constant metric stays constant. Rates that are
/// not all positive do not have a harmonic mean and use the arithmetic mean.
class MetricMean {
 public:
  void Add(double value);
  /// Adds a run whose samples were collapsed to `value`. `run` contains the samples.
  void AddRun(const MetricMean& run, double value);
  std::size_t count() const { return count_; }
  /// Returns whether every value was > 0, including the samples of added runs.
  bool positive() const { return positive_; }
  /// Returns whether every value is the same, including the samples of added runs.
  bool constant() const { return equal_ && constant_runs_; }
  double Value(bool rate) const;

 private:
  std::size_t count_ = 0;
  double first_ = 0;
  double mean_ = 0;
  double inverse_mean_ = 0;
  bool equal_ = true;
  bool constant_runs_ = true;
  bool positive_ = true;
};

/// The value of one arm in one block and metric.
struct ArmValue {
  double value = 0;
  bool positive = false;     ///< every sample is > 0, as the ratio of a rate requires
  std::uint32_t layout = 0;  ///< layout of the run; used if runs are kept (GroupedLayouts)
  bool constant = true;      ///< every sample equals `value`, as an exact gate requires
};

/// Options for collapsing the samples of a run to its value. `keep_runs` is required by
/// BlockValues::Runs().
struct RunCollapse {
  bool keep_runs = false;
  /// Collapses by the estimator `subselection` instead of the mean.
  bool subselect = false;
  std::uint64_t seed = 0;
  std::uint64_t first_run = 0;  ///< number of the block's first run in its benchmark
};

/// The values of a block: one per arm and metric. Samples inside a run are not replicates, so they
/// are first collapsed to the value of the run. The runs of an arm are then collapsed to their mean
/// (docs/statistics.md section 2).
class BlockValues {
 public:
  /// @param block  a complete block, in order of execution
  /// @param ids    for each run, the result of MetricCatalog::Learn() for its samples
  /// @param arms   the number of arms of the benchmark
  /// @errors kInvalidArgument if a program printed a metric under the name of a built-in metric
  static Result<BlockValues> Collapse(std::span<const Run* const> block,
                                      std::span<const std::vector<std::size_t>> ids,
                                      const MetricCatalog& catalog, std::size_t arms,
                                      const RunCollapse& collapse = {});

  bool keeps_runs() const { return !run_values_.empty(); }
  /// Returns the value of an arm. Returns nothing if a run of the arm lacks the metric, or if the
  /// block does not contain a run of the arm.
  std::optional<ArmValue> At(std::size_t arm, std::size_t metric) const;
  /// Returns the value of each run of the arm that has the metric, for independent arms. Requires
  /// RunCollapse::keep_runs.
  std::span<const ArmValue> Runs(std::size_t arm, std::size_t metric) const {
    return run_values_[arm * metrics_ + metric];
  }

 private:
  BlockValues(std::size_t arms, std::size_t metrics);

  std::size_t metrics_;
  std::vector<MetricMean> means_;                  // by arm and metric
  std::vector<std::vector<ArmValue>> run_values_;  // by arm and metric
  std::vector<std::size_t> runs_;                  // number of runs, by arm
  std::vector<bool> rates_;                        // whether it is a rate, by metric
};

}  // namespace benchd

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

/// Properties of a metric's values: of all of them, or of those since the gates were fixed.
struct CommonValue {
  bool any = false;                     ///< there is a value
  bool positive = true;                 ///< every value is > 0, as a ratio requires
  std::optional<double> constant = {};  ///< the value of all samples; absent if they differ

  void Add(double value);
};

/// A metric as it is compared. Each inner benchmark of a harness has its own, named INNER/NAME.
struct KnownMetric {
  std::string key;  ///< NAME or INNER/NAME, as users write and read it
  std::string unit;
  std::optional<Better> better;  ///< in effect: from a gate of the spec, else from a run
  double resolution = 0;         ///< in `unit`, the finest seen so far; 0 = unknown
  bool builtin = false;
  CommonValue all = {};       ///< of every sample so far
  CommonValue later = {};     ///< of the samples since MetricCatalog::BeginLater()
  std::string name = {};      ///< NAME alone
  bool by_name_only = false;  ///< MetricInfo::by_name_only in every run
  /// The first direction that a run printed.
  std::optional<Better> printed = {};
};

/// The metrics that the runs of one benchmark have shown so far, in order of appearance.
///
/// Numbers the metrics, so that sorting a block's samples needs no further comparison of names. The
/// unit is that of the first appearance and the direction the first one printed before
/// HoldDirections(), so the order of the arms affects neither. The resolution is the finest one. A
/// run's descriptions (Run::metrics) are found by INNER/NAME, else by NAME.
class MetricCatalog {
 public:
  /// @param of_benchd  built-in names denote built-in metrics; else the runs define their meaning.
  explicit MetricCatalog(bool of_benchd = true) : of_benchd_(of_benchd) {}

  /// Adds the metrics of one run. On return ids[i] is the number of the metric of run.samples[i].
  void Learn(const Run& run, std::vector<std::size_t>& ids);

  const std::vector<KnownMetric>& metrics() const { return metrics_; }
  std::optional<std::size_t> Find(std::string_view key) const;
  /// Whether a run of that arm has shown the metric; true for an arm without runs.
  bool ShownBy(std::size_t arm, std::size_t id) const;
  /// Two runs printed one metric in different units, so nothing can be compared.
  const std::optional<Error>& conflict() const { return conflict_; }
  /// Metrics for which runs printed both directions, lower and higher.
  const std::vector<std::size_t>& with_both_directions() const { return with_both_directions_; }
  /// From now on a metric without a direction keeps none, because its values are already summed.
  void HoldDirections() { directions_held_ = metrics_.size(); }
  /// The gates are fixed: properties of later samples are recorded separately.
  void BeginLater() { is_later_ = true; }
  /// Applies `--metric NAME:higher`, which overrides the printed direction.
  void SetDirection(std::size_t id, Better better) { metrics_[id].better = better; }

  /// The keys for an error message, such as "wall_time, ns/op", the first twenty.
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
  std::size_t directions_held_ = 0;  // for metrics below this number
  bool is_later_ = false;
  std::string scratch_;
};

/// The mean that a metric requires: arithmetic, or harmonic for rates.
///
/// Exact if all values are equal, so that a constant metric stays constant. Rates that are not all
/// positive have no harmonic mean and use the arithmetic one.
class MetricMean {
 public:
  void Add(double value);
  /// Adds a run's samples, collapsed to `value`; `run` contains the samples.
  void AddRun(const MetricMean& run, double value);
  std::size_t count() const { return count_; }
  /// Whether every value was > 0, including those inside added runs.
  bool positive() const { return positive_; }
  double Value(bool rate) const;

 private:
  std::size_t count_ = 0;
  double first_ = 0;
  double mean_ = 0;
  double inverse_mean_ = 0;
  bool equal_ = true;
  bool positive_ = true;
};

/// The value of one arm in one block and metric.
struct ArmValue {
  double value = 0;
  bool positive = false;     ///< every sample is > 0, as the ratio of a rate requires
  std::uint32_t layout = 0;  ///< of its arm; used when runs are kept (GroupedLayouts)
};

/// How a run's samples become its value, and whether Runs() will be called.
struct RunCollapse {
  bool keep_runs = false;
  /// Uses the subselections of `subselection` instead of the mean.
  bool subselect = false;
  std::uint64_t seed = 0;
  std::uint64_t first_run = 0;  ///< number of the block's first run in its benchmark
};

/// One value per arm and metric of a block. Samples inside a run are not replicates, so they first
/// collapse to the run's value; the runs of an arm then collapse to their mean (docs/statistics.md
/// section 2).
class BlockValues {
 public:
  /// @param block    complete, in order of execution.
  /// @param ids      for each run, the result of MetricCatalog::Learn() for its samples.
  /// @param arms     number of arms of the benchmark.
  /// @errors kInvalidArgument if a program printed a metric under a built-in metric's name.
  static Result<BlockValues> Collapse(std::span<const Run* const> block,
                                      std::span<const std::vector<std::size_t>> ids,
                                      const MetricCatalog& catalog, std::size_t arms,
                                      const RunCollapse& collapse = {});

  bool keeps_runs() const { return !run_values_.empty(); }
  /// Absent if a run of that arm lacks the metric, or the block has no run of that arm.
  std::optional<ArmValue> At(std::size_t arm, std::size_t metric) const;
  /// The value of each run of that arm that has the metric, for independent arms; needs
  /// RunCollapse::keep_runs.
  std::span<const ArmValue> Runs(std::size_t arm, std::size_t metric) const {
    return run_values_[arm * metrics_ + metric];
  }

 private:
  BlockValues(std::size_t arms, std::size_t metrics);

  std::size_t metrics_;
  std::vector<MetricMean> means_;                  // by arm
  std::vector<std::vector<ArmValue>> run_values_;  // by arm, too
  std::vector<std::size_t> runs_;                  // of each arm
  std::vector<bool> rates_;                        // of each metric
};

}  // namespace benchd

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

/// What some values of a metric have in common: all of them, or those since the gates were fixed.
struct CommonValue {
  bool any = false;                     ///< there is a value
  bool positive = true;                 ///< every value is > 0: what a ratio needs
  std::optional<double> constant = {};  ///< the value of every sample; absent when they differ

  void Add(double value);
};

/// A metric as it is compared: one of a harness' inner benchmarks has its own, named INNER/NAME.
struct KnownMetric {
  std::string key;  ///< NAME or INNER/NAME, what users write and read
  std::string unit;
  std::optional<Better> better;  ///< what holds: what a gate of the spec says, else a run
  double resolution = 0;         ///< in `unit`, the finest seen so far; 0 = unknown
  bool builtin = false;
  CommonValue all = {};       ///< of every sample so far
  CommonValue later = {};     ///< of those since MetricCatalog::BeginLater()
  std::string name = {};      ///< NAME alone
  bool by_name_only = false;  ///< as of MetricInfo, in every run
  /// What the first run said of the direction that says any.
  std::optional<Better> printed = {};
};

/// Which metrics the runs of one benchmark have shown so far, in order of appearance.
///
/// Gives each a small number, so that a block's samples are sorted without comparing names again.
/// The unit is that of the first appearance, the direction the first that is said before
/// HoldDirections(), so that the order of the arms decides neither; the resolution follows the
/// finest. What a run says of a metric (Run::metrics) goes by INNER/NAME, else by NAME.
class MetricCatalog {
 public:
  /// @param of_benchd  names of built-in metrics mean those; else what the runs say they mean.
  explicit MetricCatalog(bool of_benchd = true) : of_benchd_(of_benchd) {}

  /// Takes the metrics of one run. On return ids[i] is the number of the metric of run.samples[i].
  void Learn(const Run& run, std::vector<std::size_t>& ids);

  const std::vector<KnownMetric>& metrics() const { return metrics_; }
  std::optional<std::size_t> Find(std::string_view key) const;
  /// Whether a run of that arm has shown the metric; true while the arm has no run.
  bool ShownBy(std::size_t arm, std::size_t id) const;
  /// A metric that one run printed in another unit than a run before: nothing can be compared.
  const std::optional<Error>& conflict() const { return conflict_; }
  /// Metrics that one run printed as lower is better and another as higher is better.
  const std::vector<std::size_t>& with_both_directions() const { return with_both_directions_; }
  /// From here on a metric that has no direction keeps none: its values are summed up as they are.
  void HoldDirections() { directions_held_ = metrics_.size(); }
  /// The gates are fixed: what the samples have in common from here on is kept apart.
  void BeginLater() { is_later_ = true; }
  /// What `--metric NAME:higher` says goes over what the metric itself says.
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
  std::size_t directions_held_ = 0;  // of the metrics before that number
  bool is_later_ = false;
  std::string scratch_;
};

/// The mean of some values as a metric wants it: arithmetic, or harmonic for rates.
///
/// Exact when all values are equal, so that a constant metric stays constant. Rates that are not
/// all positive have no harmonic mean and fall back on the arithmetic one.
class MetricMean {
 public:
  void Add(double value);
  /// Adds what a run came to as one value; `run` has its samples.
  void AddRun(const MetricMean& run, double value);
  std::size_t count() const { return count_; }
  /// Whether every value was > 0, also those inside the runs that were added.
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

/// What one arm did in one block, in one metric.
struct ArmValue {
  double value = 0;
  bool positive = false;     ///< every sample behind it is > 0: what a rate needs for a ratio
  std::uint32_t layout = 0;  ///< of its arm, for runs that are kept (GroupedLayouts)
};

/// How the samples of a run become its value, and whether Runs() will be asked for.
struct RunCollapse {
  bool keep_runs = false;
  /// By the subselections of `subselection` instead of the mean.
  bool subselect = false;
  std::uint64_t seed = 0;
  std::uint64_t first_run = 0;  ///< number of the block's first run in its benchmark
};

/// One value per arm and metric of a block: samples inside a run are no replicates, so they
/// collapse to the run's value first; then the runs of an arm to its mean (docs/statistics.md
/// section 2).
class BlockValues {
 public:
  /// @param block    complete, in order of execution.
  /// @param ids      for each run, what MetricCatalog::Learn() gave for its samples.
  /// @param arms     number of arms of the benchmark.
  /// @errors kInvalidArgument when a program printed a metric under a built-in metric's name.
  static Result<BlockValues> Collapse(std::span<const Run* const> block,
                                      std::span<const std::vector<std::size_t>> ids,
                                      const MetricCatalog& catalog, std::size_t arms,
                                      const RunCollapse& collapse = {});

  bool keeps_runs() const { return !run_values_.empty(); }
  /// Absent when a run of that arm lacks the metric, or the block has none of that arm.
  std::optional<ArmValue> At(std::size_t arm, std::size_t metric) const;
  /// The value of each of that arm's runs that has the metric, for arms that are no pairs; needs
  /// RunCollapse::keep_runs.
  std::span<const ArmValue> Runs(std::size_t arm, std::size_t metric) const {
    return run_values_[arm * metrics_ + metric];
  }

 private:
  BlockValues(std::size_t arms, std::size_t metrics);

  std::size_t metrics_;
  std::vector<MetricMean> means_;                  // arm by arm
  std::vector<std::vector<ArmValue>> run_values_;  // likewise
  std::vector<std::size_t> runs_;                  // of each arm
  std::vector<bool> rates_;                        // of each metric
};

}  // namespace benchd

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/metric_catalog.h"
#include "core/base/result.h"
#include "core/model/run.h"

namespace benchd {

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

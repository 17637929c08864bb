#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/arm_measurement.h"
#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/block_values.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/kept_runs.h"
#include "core/base/result.h"
#include "core/model/measurement.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// One benchmark of a session that measures its arms: its metrics, and one measurement per arm and
/// metric. The counterpart of BenchmarkAnalysis, and owned by MeasurementAnalysis, which also owns
/// the spec and the design that it refers to.
class BenchmarkMeasurement {
 public:
  BenchmarkMeasurement(const Benchmark& benchmark, const SequentialDesign& design);

  void LearnWarmup(std::span<const Run* const> block);

  /// Records the metrics of the block. The first call fixes what is asked for, unless the warm-up
  /// did. Call it before AddBlock().
  /// @errors kInvalidArgument if runs describe a metric in contradictory ways, or if no run printed
  /// a metric
  Result<void> Learn(std::span<const Run* const> block);

  /// Returns the number of intervals that share alpha (arms x metrics that are asked for), once it
  /// is known.
  std::optional<std::size_t> AskedCount() const;

  /// Adds the block of the last Learn(), and takes a look at each measurement that received a
  /// value.
  /// @errors kInvalidArgument as BlockValues::Collapse()
  Result<void> AddBlock(std::span<const Run* const> block, const Levels& levels);

  /// Takes the one look of a fixed design. Call it only after the last block.
  void LookOnce(const Levels& levels);

  const Benchmark& spec() const { return benchmark_; }
  const MetricCatalog& catalog() const { return catalog_; }
  std::uint64_t blocks() const { return blocks_; }
  const std::vector<std::uint64_t>& runs_per_arm() const { return runs_per_arm_; }
  /// Returns what is known about the metrics that the spec names as gates. It refers to this
  /// object.
  NamedGates named_gates() const { return {&benchmark_, &catalog_, about_nothing_, asked_fixed_}; }

  /// Returns whether everything that is asked for is precise, or never will be. Returns false
  /// before it is known what is asked for.
  bool AllSettled() const;
  /// Returns the number of further blocks until everything is expected to be precise. Returns
  /// nothing if that is unknown, or if nothing is open.
  std::optional<double> ExpectedBlocks() const;
  /// Returns the estimates: first those that are asked for, then the others that have a value, each
  /// in the order of the arms for every metric.
  std::vector<Estimate> Estimates(const Levels& levels) const;
  /// Returns warnings about failed runs, and about the intervals that are asked for.
  std::vector<Warning> Warnings() const;
  /// Returns the warnings of CheckArm() and of KeptRuns about the values that are asked for.
  std::vector<Warning> CheckValues() const;
  /// Returns the warning that there were too few runs for an interval, with the number that it
  /// takes; nothing if there were enough.
  std::optional<Warning> TooFewRuns(const Levels& levels) const;

 private:
  struct Measured {
    std::size_t arm = 0;
    std::size_t metric = 0;
    ArmMeasurement measurement;
    std::vector<double> kept = {};  // the first values in order of time, for the checks
  };

  Result<void> CheckMeanings() const;
  // Returns the precision of metrics that do not state one, under the rule `precision`.
  double DefaultPrecision() const { return benchmark_.default_margin.value_or(design_.rule.width); }
  // Returns the metrics that are asked for, by the metrics so far.
  std::vector<std::size_t> AskedMetrics() const;
  // Returns whether an arm is measured by a metric that is asked for. With `allow_missing`, an arm
  // that lacks it is not.
  bool Has(std::size_t arm, std::size_t metric) const {
    return !benchmark_.allow_missing || catalog_.ShownBy(arm, metric);
  }
  bool IsAsked(std::size_t arm, std::size_t metric) const;
  // Returns the metrics that are asked for of other arms only, because this one had not shown them
  // when that was fixed.
  std::vector<std::size_t> LackedBy(std::size_t arm) const;
  Result<void> FixAsked();
  void OpenInfos();
  void NameNewMetrics();
  Measured Open(std::size_t arm, std::size_t metric, bool asked) const;
  double ResolutionOf(std::size_t metric) const;
  std::uint64_t Lacking(const Measured& one) const { return blocks_ - one.measurement.n(); }
  // Returns the code of the reason why a value that is asked for is not precise; "" if there is
  // none.
  std::string_view ReasonOf(const Measured& one) const;
  bool IsSettled(const Measured& one) const;
  void Take(const BlockValues& values, Measured& one, const SignificanceLevel* level);
  Estimate EstimateOf(const Measured& one, double level) const;
  std::optional<double> ExpectedBlocksOf(const Measured& one) const;

  const Benchmark& benchmark_;
  const SequentialDesign& design_;
  MetricCatalog catalog_;
  std::vector<std::vector<std::size_t>> ids_;  // metrics of the samples of the last block, by run
  std::vector<bool> is_asked_;                 // by metric
  std::vector<std::optional<std::size_t>> named_;  // metrics of the spec, by metric
  std::vector<std::size_t> about_nothing_;
  std::size_t metrics_with_infos_ = 0;
  bool warmed_up_ = false;
  bool asked_fixed_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_per_arm_;
  std::vector<std::uint64_t> failed_per_arm_;
  std::vector<Measured> asked_;
  std::vector<Measured> infos_;
  KeptRuns kept_runs_;
};

}  // namespace benchd

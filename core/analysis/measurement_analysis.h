#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Analyses a session that measures its arms without comparing them (ArmRole::kMeasured). It is the
/// part of SessionAnalysis for such sessions, with the same functions and the same contract.
///
/// The result is Report::estimates. Every interval that is asked for has the level alpha/G, where G
/// counts the arms times the metrics that are asked for over all benchmarks; they all hold
/// together, at all times, with the stated confidence. All other intervals have the level alpha.
/// The session is finished when every interval that is asked for is as narrow as requested, or
/// never will be.
class MeasurementAnalysis {
 public:
  /// @errors kInvalidArgument if the spec's estimator, rule and limits cannot be combined for a
  /// measurement, or if an arm is not measured
  static Result<MeasurementAnalysis> Create(const SessionSpec& spec);

  MeasurementAnalysis(MeasurementAnalysis&&) noexcept;
  MeasurementAnalysis& operator=(MeasurementAnalysis&&) noexcept;
  ~MeasurementAnalysis();

  void AddWarmup(std::span<const Run> block);
  /// @errors kInvalidArgument if the block is not complete, or if a metric cannot be measured.
  /// kFailedPrecondition if the benchmark already has its last block
  /// @param sharing  the number of benchmarks that share the time of the block
  Result<void> Add(std::span<const Run> block, std::size_t sharing = 1);
  Report Look() const;
  bool Finished() const;
  /// Returns the report with the verdict after the last block: a pass if every interval that is
  /// asked for is precise or, with `--at-limit estimate`, if each has both ends. Further calls do
  /// not change the result.
  Report Conclude();
  std::uint64_t NextLook(std::uint64_t blocks) const;
  std::vector<std::size_t> OpenBenchmarks() const;
  std::vector<BenchmarkOutlook> Outlook() const;

 private:
  class Impl;
  explicit MeasurementAnalysis(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace benchd

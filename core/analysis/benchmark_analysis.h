#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/data_checks.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/kept_runs.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The two levels of a session. The gates' is unknown until every benchmark has shown its metrics.
struct Levels {
  std::optional<SignificanceLevel> gate;
  SignificanceLevel info;
};

/// A comparison with the names it is reported under; numbers point into spec and catalog.
struct NamedComparison {
  std::size_t reference = 0;
  std::size_t candidate = 0;
  std::size_t metric = 0;
  MetricComparison comparison;
};

/// One benchmark of a session: its metrics, its gates and all its comparisons.
///
/// Owned by SessionAnalysis, which also owns the spec and the design that it refers to.
class BenchmarkAnalysis {
 public:
  BenchmarkAnalysis(const Benchmark& benchmark, double default_margin,
                    const SequentialDesign& design);

  void LearnWarmup(std::span<const Run* const> block);

  /// Learns the block's metrics and, the first time, fixes the gates. Before AddBlock().
  /// @errors kInvalidArgument, see PlanGates().
  Result<void> Learn(std::span<const Run* const> block);

  /// The number of gates (metrics x references x candidates), once it is known.
  std::optional<std::size_t> GateCount() const;

  /// Takes the block that was learned and looks at every comparison that got a pair.
  /// @errors kInvalidArgument: a relative margin on values that have no ratio; see BlockValues.
  Result<void> AddBlock(std::span<const Run* const> block, const Levels& levels);

  /// The one look of a fixed design; only when its number of blocks is there.
  void LookOnce(const Levels& levels);
  /// @return whether a gate was settled.
  bool SettleByEstimate();

  std::uint64_t blocks() const { return blocks_; }
  const Benchmark& spec() const { return benchmark_; }
  const std::vector<std::uint64_t>& runs_per_arm() const { return runs_per_arm_; }
  const MetricCatalog& catalog() const { return catalog_; }
  /// Gates of the spec that are about no metric that it has shown; empty before they are fixed.
  const std::vector<std::size_t>& gates_about_nothing() const { return about_nothing_; }
  /// Gates in the order references x candidates x gates of the spec.
  const std::vector<NamedComparison>& gates() const { return gates_; }
  /// Info metrics in order of appearance, each for all pairs of arms.
  const std::vector<NamedComparison>& infos() const { return infos_; }
  /// What the values of the gates say about the method's assumptions, and the samples inside runs
  /// about the runs; see CheckData() and KeptRuns. Each arm's findings once, also when it is
  /// compared with several.
  std::vector<Warning> CheckGates() const;
  /// Metrics that only some arms have shown, and those that cannot gate by default because they
  /// have no relative change: named, because a number that is left out must not go unnoticed.
  std::vector<Warning> CheckMetrics() const;
  /// False before the gates are fixed.
  bool AllGatesSettled() const;
  bool gates_fixed() const { return gates_fixed_; }
  /// Every gate has enough runs for the one look that waits for them (layouts).
  bool HasEnough() const;
  /// What a comparison should have by now.
  LookContext ContextOf(const NamedComparison& one) const;

 private:
  bool IsGate(std::size_t metric) const;
  Result<void> FixGates();
  void OpenInfos();
  Result<void> CheckRatio(const NamedComparison& gate) const;
  NamedComparison Open(std::size_t reference, std::size_t candidate, std::size_t metric,
                       const std::optional<PlannedGate>& gate) const;
  void Take(const BlockValues& values, NamedComparison& one, const SignificanceLevel* level,
            CheckedValues* checked);

  const Benchmark& benchmark_;
  const SequentialDesign& design_;
  double default_margin_;
  std::vector<std::size_t> references_;
  std::vector<std::size_t> candidates_;
  MetricCatalog catalog_;
  std::vector<std::vector<std::size_t>> ids_;  // of the samples of the block learned last, by run
  std::vector<bool> is_gate_;                  // by metric
  std::vector<std::size_t> not_gated_;         // metrics, when the gates were fixed
  std::vector<std::size_t> about_nothing_;     // gates of the spec, likewise
  std::size_t metrics_with_infos_ = 0;
  bool warmed_up_ = false;
  bool gates_fixed_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_per_arm_;
  std::vector<NamedComparison> gates_;
  std::vector<CheckedValues> checked_;  // of each gate
  KeptRuns kept_runs_;                  // of gates with several samples a run
  std::vector<NamedComparison> infos_;
};

/// `metric_missing`: one arm never printed what another did; such metrics are in no comparison.
Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const std::string& benchmark, const std::string& arm);

/// `no_ratio`: metrics of a harness that have no relative change to gate on (NotGatedByDefault()).
Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark);

}  // namespace benchd

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/data_checks.h"
#include "core/analysis/gate_judgement.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/kept_runs.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The two levels of a session. The gates' level is unknown until all benchmarks have shown their
/// metrics.
struct Levels {
  std::optional<SignificanceLevel> gate;
  SignificanceLevel info;
};

/// A comparison with the names of its report; numbers are indices into spec and catalog.
struct NamedComparison {
  std::size_t reference = 0;
  std::size_t candidate = 0;
  std::size_t metric = 0;
  MetricComparison comparison;
  ZeroWatch zeros = {};
};

/// One benchmark of a session: its metrics, its gates and all its comparisons.
///
/// Owned by SessionAnalysis, which also owns the spec and the design that it refers to.
class BenchmarkAnalysis {
 public:
  BenchmarkAnalysis(const Benchmark& benchmark, double default_margin,
                    const SequentialDesign& design);

  void LearnWarmup(std::span<const Run* const> block);

  /// Records the block's metrics and, the first time, fixes the gates. Call it before AddBlock().
  /// @errors kInvalidArgument, see PlanGates().
  Result<void> Learn(std::span<const Run* const> block);

  /// The number of gates (metrics x references x candidates), once it is known.
  std::optional<std::size_t> GateCount() const;

  /// Adds the block of the last Learn() and looks at every comparison that got a pair.
  /// @errors kInvalidArgument: a relative margin on values without a ratio; see BlockValues.
  Result<void> AddBlock(std::span<const Run* const> block, const Levels& levels);

  /// The one look of a fixed design; call it only after its last block.
  void LookOnce(const Levels& levels);
  /// @return whether a gate was settled.
  bool SettleByEstimate();
  /// No block follows: decides by the values so far, even if they are fewer than a look requires.
  void Conclude();

  /// The judgement of a gate: that of its interval, unless the candidate lacks the metric, runs
  /// failed in only one arm, or there is no ratio to judge.
  Judgement JudgementOf(const NamedComparison& gate) const;
  /// The same for a metric that would gate by default if it had a relative change: a count that
  /// left 0 or a rate that fell to 0. Nothing for metrics that do not gate.
  std::optional<Judgement> JudgementOfZero(const NamedComparison& info) const;
  /// Undecided for a comparison that would gate by the values so far, but does not because the
  /// gates were already fixed: it has no share of alpha. Nothing otherwise. No session waits for
  /// it.
  std::optional<Judgement> JudgementOfLate(const NamedComparison& info) const;

  std::uint64_t blocks() const { return blocks_; }
  const Benchmark& spec() const { return benchmark_; }
  double default_margin() const { return default_margin_; }
  /// The spec's gate for that metric, or nullptr.
  const Gate* NamedGate(std::size_t metric) const;
  const std::vector<std::uint64_t>& runs_per_arm() const { return runs_per_arm_; }
  const MetricCatalog& catalog() const { return catalog_; }
  /// Gates of the spec that match no metric of this benchmark; empty before the gates are fixed.
  const std::vector<std::size_t>& gates_about_nothing() const { return about_nothing_; }
  /// Gates in the order references x candidates x gates of the spec.
  const std::vector<NamedComparison>& gates() const { return gates_; }
  /// Info metrics in order of appearance, each for all pairs of arms.
  const std::vector<NamedComparison>& infos() const { return infos_; }
  /// Warnings of CheckData() about the gates' values and of KeptRuns about the samples inside runs.
  /// The findings of each arm appear once, even if it is in several comparisons.
  std::vector<Warning> CheckGates() const;
  /// Warnings about metrics that only some arms have shown, metrics that cannot gate by default
  /// because they have no relative change, and failed runs: exclusions and failures must be
  /// visible.
  std::vector<Warning> CheckMetrics() const;
  /// False before the gates are fixed.
  bool AllGatesSettled() const;
  bool gates_fixed() const { return gates_fixed_; }
  /// Every gate has enough runs for its one look (layouts).
  bool HasEnough() const;
  /// The number of values that a comparison should have by now.
  LookContext ContextOf(const NamedComparison& one) const;

 private:
  bool IsGate(std::size_t metric) const;
  /// Fails if a metric has contradictory meanings in different runs.
  Result<void> CheckMeanings() const;
  Result<void> FixGates();
  void OpenInfos();
  /// Finds the spec's gates for new metrics, and applies their directions.
  void NameNewMetrics();
  /// Whether that metric would gate by default now; see JudgementOfLate().
  bool GatesLate(std::size_t metric) const;
  /// Whether there are enough blocks for a look that decides.
  bool MayDecide() const;
  std::optional<Judgement> JudgementOfMissing(const NamedComparison& one) const;
  std::optional<Judgement> JudgementOfFailures(const NamedComparison& one) const;
  /// By the difference; nothing unless exactly one of the arms is always 0.
  std::optional<Judgement> JudgementOfDifference(const NamedComparison& one) const;
  // The judgement of a relative gate whose values have no ratio.
  std::optional<Judgement> JudgementWithoutRatio(const NamedComparison& gate) const;
  std::vector<Warning> CheckArms() const;
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
  std::vector<bool> is_not_gated_;             // by metric: whether it is one of these
  std::vector<std::size_t> about_nothing_;     // gates of the spec, at the same time
  std::vector<std::optional<std::size_t>> named_gates_;  // gates of the spec, by metric
  std::size_t metrics_with_infos_ = 0;
  bool warmed_up_ = false;
  bool gates_fixed_ = false;
  bool concluded_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_per_arm_;
  std::vector<std::uint64_t> failed_per_arm_;  // failed ones among them, if failed runs count
  std::vector<NamedComparison> gates_;
  std::vector<CheckedValues> checked_;  // by gate
  KeptRuns kept_runs_;                  // of gates with several samples per run
  std::vector<NamedComparison> infos_;
};

/// `metric_missing`: one arm never printed a metric of another arm, so no comparison contains it. A
/// note if none of these metrics could gate.
Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const std::string& benchmark, const std::string& arm);

/// `no_ratio`: harness metrics without a relative change to gate on (NotGatedByDefault()). A note
/// if all arms have always shown the same value.
Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark);

}  // namespace benchd

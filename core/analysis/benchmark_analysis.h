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
  /// No block follows: what there is has to do, be it less than a look asks for, or nothing.
  void Conclude();

  /// What a gate comes to: what its interval said, unless the candidate lacks the metric, runs
  /// failed in one of the arms alone, or there is no ratio to judge.
  Judgement JudgementOf(const NamedComparison& gate) const;
  /// The same of a metric that would gate by default, had it a relative change, where a count left
  /// 0 or a rate fell to it; else nothing: it does not gate.
  std::optional<Judgement> JudgementOfZero(const NamedComparison& info) const;
  /// Undecided where the comparison would be one of a gate by what was seen so far, and is none
  /// because the gates were fixed before: it has no share of alpha, so nothing can judge it.
  /// Nothing else. Nobody waits for it.
  std::optional<Judgement> JudgementOfLate(const NamedComparison& info) const;

  std::uint64_t blocks() const { return blocks_; }
  const Benchmark& spec() const { return benchmark_; }
  double default_margin() const { return default_margin_; }
  /// The gate of the spec that is about that metric, or nullptr.
  const Gate* NamedGate(std::size_t metric) const;
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
  /// Metrics that only some arms have shown, those that cannot gate by default because they have no
  /// relative change, and runs that failed: named, because what is left out, or counted all the
  /// same, must not go unnoticed.
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
  /// Every metric means one thing, whichever run printed it.
  Result<void> CheckMeanings() const;
  Result<void> FixGates();
  void OpenInfos();
  /// Which gates of the spec are about metrics that are new, and what they say of these.
  void NameNewMetrics();
  /// By default, that metric would gate now; see JudgementOfLate().
  bool GatesLate(std::size_t metric) const;
  /// There are enough blocks for a look that decides.
  bool MayDecide() const;
  std::optional<Judgement> JudgementOfMissing(const NamedComparison& one) const;
  std::optional<Judgement> JudgementOfFailures(const NamedComparison& one) const;
  /// By their difference; nothing unless one of both is always 0 and the other is not.
  std::optional<Judgement> JudgementOfDifference(const NamedComparison& one) const;
  // Of a gate by a ratio that its values do not have.
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
  std::vector<bool> is_not_gated_;             // by metric: one of these
  std::vector<std::size_t> about_nothing_;     // gates of the spec, likewise
  std::vector<std::optional<std::size_t>> named_gates_;  // of the spec, by metric
  std::size_t metrics_with_infos_ = 0;
  bool warmed_up_ = false;
  bool gates_fixed_ = false;
  bool concluded_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_per_arm_;
  std::vector<std::uint64_t> failed_per_arm_;  // of these, where a failed run counts
  std::vector<NamedComparison> gates_;
  std::vector<CheckedValues> checked_;  // of each gate
  KeptRuns kept_runs_;                  // of gates with several samples a run
  std::vector<NamedComparison> infos_;
};

/// `metric_missing`: one arm never printed what another did; such metrics are in no comparison. A
/// note where none of them could gate.
Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const std::string& benchmark, const std::string& arm);

/// `no_ratio`: metrics of a harness that have no relative change to gate on (NotGatedByDefault());
/// a note where all arms have always shown the same.
Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark);

}  // namespace benchd

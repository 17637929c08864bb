#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/data_checks.h"
#include "core/analysis/early_order.h"
#include "core/analysis/family_decision.h"
#include "core/analysis/gate_judgement.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/gate_subject.h"
#include "core/analysis/kept_runs.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/retirement.h"
#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The significance levels of a session. The level of the gates is unknown until all benchmarks
/// have shown their metrics.
struct Levels {
  std::optional<SignificanceLevel> gate;
  SignificanceLevel info;
  /// That of a control: two-sided with the share of a gate, whatever the level of the gates is.
  /// Present if that of the gates is.
  std::optional<SignificanceLevel> control = {};
  /// That of a gate with early looks, which have a share of it. Present if the design has early
  /// looks and that of the gates is.
  std::optional<SignificanceLevel> with_early_looks = {};
  /// That of one pair of arms of the order, in which early looks have a share. Present if the
  /// design has early looks and there is an order.
  std::optional<SignificanceLevel> order = {};

  /// Returns the level of a gate, or nullptr while it is unknown.
  const SignificanceLevel* Of(const MetricComparison& one) const {
    const std::optional<SignificanceLevel>& own = one.is_control()        ? control
                                                  : one.has_early_looks() ? with_early_looks
                                                                          : gate;
    return own ? &*own : nullptr;
  }
};

/// A comparison with its subject. The numbers are indices into the spec and the catalog.
struct NamedComparison {
  std::size_t reference = 0;
  std::size_t candidate = 0;
  std::size_t metric = 0;
  MetricComparison comparison;
  ZeroWatch zeros = {};
  std::optional<PairCounts> frozen = {};  ///< present once one of its arms has retired
};

/// One benchmark of a session: its metrics, its gates and all its comparisons.
///
/// It is owned by SessionAnalysis, which also owns the spec and the design that it refers to.
class BenchmarkAnalysis {
 public:
  BenchmarkAnalysis(const Benchmark& benchmark, double default_margin,
                    const SequentialDesign& design);

  /// Judges only these gates, which are of this benchmark. Call it before the first block. A metric
  /// of the list may also be one that gates only because it left 0.
  void RestrictTo(std::vector<GateSubject> gates) { only_ = std::move(gates); }
  /// Returns whether RestrictTo() has left no gate, so that the benchmark needs no block.
  bool is_left_out() const { return only_ && only_->empty(); }

  void LearnWarmup(std::span<const Run* const> block);

  /// Records the metrics of the block. The first call fixes the gates. Call it before AddBlock().
  /// @errors kInvalidArgument, see PlanGates()
  Result<void> Learn(std::span<const Run* const> block);

  /// Returns the number of gates (metrics x pairs of arms, see GatedPairs()), once it is known.
  std::optional<std::size_t> GateCount() const;

  /// Adds the block of the last Learn(), and takes a look at every comparison that received a pair.
  /// @errors kInvalidArgument for a relative margin on values without a ratio, see BlockValues
  Result<void> AddBlock(std::span<const Run* const> block, const Levels& levels);

  /// Returns the arms of which no gate needs another run, in ascending order: all gates that
  /// involve them are settled. Before the first look, early looks must also have settled their
  /// pairs with all other arms. There are none with a single pair of arms. A placebo is needed as
  /// long as any gate is open.
  std::vector<std::uint32_t> IdleArms() const;
  /// Retires an idle arm: from now on, blocks lack it. Its comparisons stay as they are.
  void Retire(std::uint32_t arm);
  /// Returns when the arm retired, if it did.
  const std::optional<RetiredArm>& retired(std::size_t arm) const { return retired_[arm]; }

  /// Takes the one look of a fixed design. Call it only after the last block.
  void LookOnce(const Levels& levels);
  /// Appends the evidence of each gate, in the order of gates().
  void AppendEvidence(std::vector<GateEvidence>& family) const;
  /// Takes the decisions that the procedure `by` made about the gates, in the order of gates().
  void DecideTogether(std::span<const Verdict> decisions, std::string_view by);
  /// Decides open gates by their estimates. Returns whether a gate was settled.
  bool SettleByEstimate();
  /// Ends the analysis: no block follows. Decides by the values so far, even if they are fewer than
  /// a look requires.
  void Conclude();

  /// Returns the judgement of a gate. It follows from the interval, unless the candidate lacks the
  /// metric, runs failed in only one arm, or there is no ratio to judge. A control that changed is
  /// undecided, with the reason `control_changed`.
  Judgement JudgementOf(const NamedComparison& gate) const;
  /// Returns the judgement of a metric that would gate by default if it had a relative change: a
  /// count that left 0 or a rate that fell to 0. Returns nothing for other metrics.
  std::optional<Judgement> JudgementOfZero(const NamedComparison& info) const;
  /// Returns the judgement "undecided" for a comparison that would gate by the values so far, but
  /// does not because the gates were already fixed. Such a comparison has no share of alpha, and
  /// the session does not wait for it. Returns nothing for other comparisons.
  std::optional<Judgement> JudgementOfLate(const NamedComparison& info) const;

  /// Returns whether a comparison is a control: a gate that is one, or a comparison that would gate
  /// and whose metric is one.
  bool IsControl(const NamedComparison& one) const;
  bool IsPlacebo(const NamedComparison& one) const {
    return benchmark_.arms[one.candidate].role == ArmRole::kPlacebo;
  }
  /// Returns whether a control is open and can still be settled by further blocks.
  bool AwaitsControls() const;

  std::uint64_t blocks() const { return blocks_; }
  const Benchmark& spec() const { return benchmark_; }
  double default_margin() const { return default_margin_; }
  GateDefaults defaults() const { return {default_margin_, design_.AllowsExact()}; }
  /// Returns the spec's gate for this metric, or nullptr.
  const Gate* NamedGate(std::size_t metric) const;
  const std::vector<std::uint64_t>& runs_per_arm() const { return runs_per_arm_; }
  const MetricCatalog& catalog() const { return catalog_; }
  /// Returns what is known about the gates of the spec. It refers to this object.
  NamedGates named_gates() const { return {&benchmark_, &catalog_, about_nothing_, gates_fixed_}; }
  /// Returns the gates in the order references x candidates x gates of the spec, then those of the
  /// placebo, which are controls.
  const std::vector<NamedComparison>& gates() const { return gates_; }
  /// Returns the info metrics in order of appearance, each for all pairs of arms.
  const std::vector<NamedComparison>& infos() const { return infos_; }
  /// Returns the warnings of CheckData() about the values of the gates, and those of KeptRuns about
  /// the samples inside runs. Findings about an arm appear only once, even if the arm is in several
  /// comparisons.
  std::vector<Warning> CheckGates() const;
  /// Returns warnings about metrics that only some arms have shown, about metrics that cannot gate
  /// by default because they have no relative change, and about failed runs.
  std::vector<Warning> CheckMetrics() const;
  /// Returns whether all gates are settled, and the order needs no block before the first look.
  /// Returns false before the gates are fixed.
  bool AllGatesSettled() const;
  /// Returns whether a gate of RestrictTo() is not known yet, because it may still leave 0.
  bool LacksGates() const;
  bool gates_fixed() const { return gates_fixed_; }
  /// Returns whether every gate has enough runs for its one look (layouts).
  bool HasEnough() const;
  /// Returns the number of values that a comparison should have so far.
  LookContext ContextOf(const NamedComparison& one) const;

 private:
  /// Returns the counts of the comparison's runs so far, or those when one of its arms retired.
  PairCounts CountsOf(const NamedComparison& one) const;
  void FreezePairsOf(std::uint32_t arm, std::vector<NamedComparison>& comparisons);
  /// Returns the judgement by the runs that count, whether or not further ones can come.
  Judgement JudgementSoFar(const NamedComparison& gate) const;
  bool IsGate(std::size_t metric) const;
  bool IsSelected(std::size_t reference, std::size_t candidate, std::size_t metric) const;
  /// Returns an error if different runs describe a metric in contradictory ways.
  Result<void> CheckMeanings() const;
  Result<void> FixGates();
  /// Opens the comparison of a planned gate: as a gate, or for information.
  void OpenGate(std::size_t reference, std::size_t candidate, const PlannedGate& gate);
  /// Finds the controls among new metrics.
  void NoteControls();
  void OpenInfos();
  /// Finds the spec's gates for new metrics, and applies their directions.
  void NameNewMetrics();
  /// Returns whether the metric would now gate by default; see JudgementOfLate().
  bool GatesLate(std::size_t metric) const;
  /// Returns whether there are enough blocks for a deciding look.
  bool MayDecide() const;
  /// Returns whether the order of the arms needs further blocks before the first look.
  bool AwaitsOrder() const { return early_order_ && !MayDecide() && early_order_->open(); }
  std::optional<Judgement> JudgementOfMissing(const NamedComparison& one) const;
  std::optional<Judgement> JudgementOfFailures(const NamedComparison& one) const;
  // Returns the judgement of a control in place of that of an ordinary gate.
  Judgement AsOfControl(const NamedComparison& one, Judgement judgement) const;
  // Judges an exact gate whose constant values did not decide it, or no longer do.
  std::optional<Judgement> JudgementOfCounts(const NamedComparison& gate) const;
  /// Judges by the difference. Returns nothing unless exactly one of the arms is always 0.
  std::optional<Judgement> JudgementOfDifference(const NamedComparison& one) const;
  // Returns the judgement of a relative gate whose values do not have a ratio.
  std::optional<Judgement> JudgementWithoutRatio(const NamedComparison& gate) const;
  std::vector<Warning> CheckArms() const;
  NamedComparison Open(std::size_t reference, std::size_t candidate, std::size_t metric,
                       const std::optional<PlannedGate>& gate) const;
  void Take(const BlockValues& values, NamedComparison& one, const SignificanceLevel* level,
            CheckedValues* checked);

  const Benchmark& benchmark_;
  const SequentialDesign& design_;
  double default_margin_;
  std::optional<std::vector<GateSubject>> only_;  // absent: all gates
  std::vector<std::size_t> references_;
  std::vector<std::size_t> candidates_;
  MetricCatalog catalog_;
  // Metric ids of the samples of the block learned last, by run.
  std::vector<std::vector<std::size_t>> ids_;
  std::vector<bool> is_gate_;               // by metric
  std::vector<bool> is_control_;            // by metric, once the gates are fixed
  std::vector<std::size_t> not_gated_;      // metrics that did not gate when the gates were fixed
  std::vector<bool> is_not_gated_;          // by metric: whether it is in not_gated_
  std::vector<std::size_t> about_nothing_;  // gates of the spec that matched no metric then
  std::vector<std::optional<std::size_t>> named_gates_;  // gates of the spec, by metric
  std::size_t metrics_with_infos_ = 0;
  bool warmed_up_ = false;
  bool gates_fixed_ = false;
  bool concluded_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> runs_per_arm_;
  std::vector<std::uint64_t> failed_per_arm_;       // number of failed runs, if these count
  std::vector<std::optional<RetiredArm>> retired_;  // by arm
  std::vector<NamedComparison> gates_;
  std::optional<EarlyOrder> early_order_;  // present if there are early looks and an order
  std::vector<CheckedValues> checked_;     // by gate
  KeptRuns kept_runs_;                     // runs of gates with several samples per run
  std::vector<NamedComparison> infos_;
};

/// Returns the warning `metric_missing`: one arm never printed metrics of another arm, so they are
/// not compared, or not measured there. It is a note if these metrics could not have gated.
Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const Benchmark& benchmark, const std::string& arm);

/// Returns the warning `failed_runs`: runs of an arm failed, but count like any other.
Warning FailedRuns(const std::string& benchmark, const std::string& arm, std::uint64_t failed,
                   std::uint64_t runs);

/// Returns the warning `no_ratio`: harness metrics lack a relative change to gate on
/// (NotGatedByDefault()). It is a note if all arms have always shown the same value.
///
/// @param margin  the default margin of the benchmark, whose sign the hint has
Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark, double margin);

}  // namespace benchd

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/analysis/effect_estimator.h"
#include "core/analysis/family_decision.h"
#include "core/analysis/gate_judgement.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/sequential_design.h"
#include "core/model/comparison.h"
#include "core/stats/running_interval.h"

namespace benchd {

/// The context of a look: the expected number of values of each arm, and the metric's step in its
/// unit.
struct LookContext {
  double resolution = 0;
  std::uint64_t blocks = 0;  ///< number of blocks of the benchmark so far
  /// No verdict if more than 5 % of these values are missing.
  std::uint64_t expected_reference = 0;
  std::uint64_t expected_candidate = 0;
  bool in_pairs = true;  ///< whether a block has one value of each arm; otherwise any number
};

/// The number of expected values that each arm lacks.
struct LackingValues {
  std::uint64_t reference = 0;
  std::uint64_t candidate = 0;
};

/// Returns whether more than 5 % of the values are missing, so that there is no verdict.
bool TooManyLack(std::uint64_t lacking, std::uint64_t expected);

/// The comparison of one candidate with one reference in one metric: its looks, its verdict and its
/// report.
///
/// An EffectEstimator of the requested method draws inferences from the values. Rates are analysed
/// as slowdowns x -> 1/x and reported with the sign reversed. Under watching, the intersection of
/// the intervals of all looks so far is reported and decides (RunningInterval), so the interval of
/// a decided gate stays on its side of the margin. Looks that may not decide do not count, nor do
/// their p-values.
///
/// A gate with a margin in per cent may have early looks (stats/early_look.h), before the first one
/// of its method. If one finds a multiple that settles the gate, the intersection begins with that.
///
/// An exact gate is not an inference while the values of each arm are all equal: from the first
/// look on, they decide as they are, and no look is taken. From the first value that differs on, it
/// is a gate by its margin, and its looks cover all values. A gate that was decided before stays
/// decided, unless the interval establishes the opposite (Contradicted()).
///
/// A control (PlannedGate::control) is settled once its interval lies within its margin, which is a
/// pass, or beyond it in either direction (changed()), which is none. It has a level of its own, is
/// never decided together with others, and never by its estimate.
class MetricComparison {
 public:
  MetricComparison(const Subject& subject, const SequentialDesign& design);

  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
    estimator_->Add(reference, candidate);
    constants_.Add(reference, candidate);
    level_ = nullptr;
  }

  /// Takes a look under watching, after values were added. `level` must outlive this object.
  /// @param may_decide  false if only a later look may decide (`--runs`)
  void Watch(const SignificanceLevel& level, const LookContext& context, bool may_decide);

  /// Takes the one look of a fixed design. Does nothing if there are too few values.
  void LookOnce(const SignificanceLevel& level, const LookContext& context);

  /// Decides an unsettled gate by the side of its estimate, for `--at-limit estimate`. Returns
  /// whether it did.
  bool SettleByEstimate(const LookContext& context);

  /// Returns the evidence of a gate whose level is shared() for the decision of all gates together.
  GateEvidence Evidence() const;
  /// Decides an open gate as the procedure `by` over all gates did. Its interval ends at the margin
  /// from now on. Does nothing if the gate may not be decided now.
  void DecideTogether(Verdict verdict, std::string_view by, const LookContext& context);

  bool is_gate() const { return subject_.gate.has_value(); }
  /// Returns whether early looks have a share of the gate's level.
  bool has_early_looks() const { return early_look_.has_value(); }
  const std::optional<PlannedGate>& gate() const { return subject_.gate; }
  /// Returns the number of values of the arm that has fewer.
  std::uint64_t values() const {
    return std::min(estimator_->n_reference(), estimator_->n_candidate());
  }
  /// Returns whether there are enough runs for the one look (EffectEstimator::HasEnough()).
  bool HasEnough() const { return estimator_->HasEnough(); }
  /// Returns the verdict of a gate: pass or regression once it is decided, until then undecided.
  Verdict verdict() const { return verdict_; }
  const std::optional<Decision>& decided() const { return decided_; }
  bool is_control() const { return subject_.IsControl(); }
  /// Returns the direction in which a control was shown to have changed: 1 is worse, -1 is better,
  /// 0 if it was not.
  int changed() const { return changed_; }
  /// Returns whether the gate was decided because the values of each arm were all equal.
  bool decided_on_constants() const { return decided_on_constants_; }
  /// Returns whether the values of an arm are not all equal.
  bool varies() const { return constants_.varies(); }
  /// Returns whether the values have varied since the gate was decided on constants, and the
  /// interval now lies beyond the margin after a pass, or is an improvement after a regression. The
  /// margin of such a gate is never negative.
  bool Contradicted() const;
  /// Returns whether two looks under watching exclude each other on the scale that decides. Then
  /// there is no longer an interval, and no decision is possible.
  bool Disjoint() const;
  /// Returns whether the estimate of the last look lies outside the reported interval.
  bool EstimateOutside() const;
  /// Returns whether the interval excludes no change on the good side at the level of a regression,
  /// if passes have a level of their own, which the reported end has. Absent if the reported
  /// figures answer that.
  std::optional<bool> ImprovedAsStated() const;
  /// Returns whether the gate is decided, undecidable, or precise enough by the rule `precision`.
  bool settled() const { return settled_; }
  /// Returns whether the interval establishes that the metric's steps are too coarse for the
  /// margin, or for the width of the rule `precision`. Then further values do not change the
  /// verdict.
  bool undecidable() const { return undecidable_; }
  LackingValues Missing(const LookContext& context) const;
  /// Returns whether either arm lacks too many values.
  bool TooManyMissing(const LookContext& context) const;
  /// Returns whether it is established that more than 5 % of the runs of an arm lack a value, so
  /// that further runs cannot change it.
  bool AlwaysTooManyMissing(const LookContext& context) const;
  /// Returns whether the values permit a relative change.
  bool RatioPossible() const { return estimator_->Allows(Contrast::kLogRatio); }
  /// Returns whether every value so far is > 0.
  bool positive() const { return estimator_->positive(); }
  /// Returns whether the gate is undecidable, or is probably undecidable because the metric's steps
  /// cannot resolve the distance between the estimate and the margin. Returns false before the
  /// first look.
  bool WithinResolution() const;
  /// Returns whether the rule is `precision`, so that the gate is settled once the interval is
  /// narrow enough.
  bool by_width() const { return rule_.kind == RuleKind::kPrecision; }

  /// Fills in the numbers: n, means, change, difference, p and verdict. The caller fills in the
  /// names.
  void Describe(const SequentialDesign& design, Comparison& out) const;
  /// Returns the expected number of further pairs (or equivalent unpaired runs) until this gate is
  /// settled.
  std::optional<double> ForecastFurtherPairs(const SignificanceLevel& level) const;
  /// Returns whether an info metric or a control changed at all, that is, whether its p-value is at
  /// most this level.
  bool Changed(const SignificanceLevel& level) const;
  /// Returns the direction of the change that the p-value refers to: 1 is worse, -1 is better, 0 is
  /// neither.
  int Direction() const { return p_.direction(); }

 private:
  // Returns the scale of the gate or p-value. An info metric without a ratio uses the difference.
  Contrast DecidingScale() const;
  // Returns whether the means have a ratio. The condition for an info metric that is nearly always
  // 0 is stricter, because otherwise a single block without any spread would count as a change.
  bool HasRatio() const;
  std::optional<Inference> TakeLook(const SignificanceLevel& level, const LookContext& context,
                                    bool once);
  // Returns the current estimate for display, with the interval of the last look.
  std::optional<Inference> Now(Contrast scale) const;
  const RunningInterval& Watched(Contrast scale) const {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  RunningInterval& Watched(Contrast scale) {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  // Takes an early look.
  void LookEarly(const SignificanceLevel& level, const LookContext& context);
  // Begins the intersection with the multiple that an early look found, and decides the gate.
  void TakeMultiple(LookDecision found, const SignificanceLevel& level, const LookContext& context);
  // Returns the two-sided p-value of all looks.
  double PValue() const;
  // Intersects the interval of the look with those of all earlier looks, on both scales.
  void Enter(const Inference& inference, const SignificanceLevel& level);
  // Returns what all looks so far have in common, up to the margin if DecideTogether() cut it
  // there.
  RunningInterval AllLooks(Contrast scale) const;
  // Returns the reported interval on this scale.
  std::optional<Interval> IntervalOn(Contrast scale, const Inference& now) const;
  // Returns the side of the gate's margin on which the estimate lies: 1 is worse.
  int SideOf(const Inference& inference) const;
  Interval Show(const Interval& interval, Contrast scale) const;
  std::optional<Effect> ShowEffect(double centre, const std::optional<Interval>& interval,
                                   Contrast scale) const;
  void Decide(LookDecision side, const Interval& interval, const Inference& inference,
              const LookContext& context);
  // Decides a control. `shown` is the interval as reported.
  void DecideControl(const Interval& interval, const Interval& shown, const Inference& inference,
                     const LookContext& context);
  // Settles the gate if further values can never decide it.
  void Continue(const Inference& inference);
  // Returns whether the values are to be judged as they are: the gate is exact and nothing varies.
  bool IsExact() const { return subject_.gate && subject_.gate->exact && constants_.constant(); }
  // Returns the verdict of constants: any worsening is a regression.
  Verdict VerdictOfConstants() const;
  // Returns the change of constants on the scale, as reported.
  std::optional<double> ChangeOfConstants(Contrast scale) const;
  // Decides an exact gate once each arm has this many values.
  void DecideOnConstants(std::uint64_t enough, const LookContext& context);
  // Returns the step of the metric for this gate: 0 for a count, because a count is not rounded.
  double ResolutionFor(const LookContext& context) const;
  bool NeverDecides(const Inference& inference) const;
  bool ControlNeverDecides(const Inference& inference) const;
  std::optional<double> FurtherPairsToWidth() const;
  std::optional<PairedEstimate> AsPairs(const SignificanceLevel& level) const;
  // Fills in change and difference of both scales.
  void DescribeEffects(Comparison& out) const;

  Subject subject_;
  std::unique_ptr<EffectEstimator> estimator_;
  ConstantWatch constants_;
  Estimator asked_;
  Rule rule_;
  RunningP p_;
  RunningP p_above_;  // the same p-value, of looks above the margin only, and below it only
  RunningP p_below_;
  std::optional<std::uint64_t> early_look_;  // the first one, in pairs; absent: there is none
  // The smallest one-sided p-values of the early looks, each divided by its share: of the gate's
  // margin, against a candidate that takes a multiple, and against one of which the reference does.
  double p_slower_ = 1;
  double p_faster_ = 1;
  double resolution_ = 0;
  const SignificanceLevel* level_ = nullptr;  // level of the last look, until values are added
  RunningInterval watched_ratio_;
  RunningInterval watched_difference_;
  // The upper end of the intervals of all looks on the scale that decides, at the level of a
  // regression, if passes have a level of their own.
  std::optional<double> upper_stated_;
  bool passes_apart_ = false;    // whether they have
  std::optional<Interval> cut_;  // what a decision together established on the scale that decides
  bool looked_ = false;
  bool fixed_ = false;
  bool settled_ = false;
  bool undecidable_ = false;
  Verdict verdict_ = Verdict::kUndecided;
  std::optional<Decision> decided_;
  bool decided_on_constants_ = false;
  int changed_ = 0;  // of a control
};

}  // namespace benchd

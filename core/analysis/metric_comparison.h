#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/analysis/effect_estimator.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/sequential_design.h"
#include "core/model/comparison.h"
#include "core/stats/running_interval.h"

namespace benchd {

/// How many values each arm should have by now, and the metric's step in its unit.
struct LookContext {
  double resolution = 0;
  std::uint64_t blocks = 0;              ///< of the benchmark so far
  std::uint64_t expected_reference = 0;  ///< over 5 % fewer values than that: no verdict here
  std::uint64_t expected_candidate = 0;
  bool in_pairs = true;  ///< a value of each arm a block, else whatever runs the arms have
};

/// How many values each arm lacks of those that a context expects.
struct LackingValues {
  std::uint64_t reference = 0;
  std::uint64_t candidate = 0;
};

/// Whether so many lack that there is no verdict: over 5 %.
bool TooManyLack(std::uint64_t lacking, std::uint64_t expected);

/// One candidate against one reference in one metric: its looks, its verdict, what is shown of it.
///
/// What its values say is for an EffectEstimator, by the method asked for. Rates are analysed as
/// slowdowns x -> 1/x and reported with the sign turned back. Under watching what all looks so far
/// have in common is shown and decides (RunningInterval): once a gate is decided its interval stays
/// on that side of the margin. A look that may not decide does not enter, nor does its p-value.
class MetricComparison {
 public:
  MetricComparison(const Subject& subject, const SequentialDesign& design);

  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
    estimator_->Add(reference, candidate);
    level_ = nullptr;
  }

  /// A look under watching, after values were added; the level lives on.
  /// @param may_decide  false while another look is the one that counts (`--runs`).
  void Watch(const SignificanceLevel& level, const LookContext& context, bool may_decide);

  /// The one look of a fixed design; with too few values nothing happens.
  void LookOnce(const SignificanceLevel& level, const LookContext& context);

  /// `--at-limit estimate`: an unsettled gate takes the side of its estimate; true if it did.
  bool SettleByEstimate(const LookContext& context);

  bool is_gate() const { return subject_.gate.has_value(); }
  const std::optional<PlannedGate>& gate() const { return subject_.gate; }
  /// Values of the arm that has fewer.
  std::uint64_t values() const {
    return std::min(estimator_->n_reference(), estimator_->n_candidate());
  }
  /// Enough runs for the one look that waits for them (EffectEstimator::HasEnough()).
  bool HasEnough() const { return estimator_->HasEnough(); }
  /// Gates: pass or regression once decided, else undecided.
  Verdict verdict() const { return verdict_; }
  const std::optional<Decision>& decided() const { return decided_; }
  /// Two looks under watching exclude each other on the scale that decides: no interval is left,
  /// and nothing more is decided.
  bool Disjoint() const;
  /// The last look's estimate lies outside of what is shown as its interval.
  bool EstimateOutside() const;
  /// Decided, by the rule `precision` known well enough to stay undecided, or undecidable.
  bool settled() const { return settled_; }
  /// The interval establishes that the metric's steps are too coarse for the margin, or for the
  /// width of the rule `precision`: further values change nothing.
  bool undecidable() const { return undecidable_; }
  LackingValues Missing(const LookContext& context) const;
  /// Of either arm.
  bool TooManyMissing(const LookContext& context) const;
  /// So many of either arm that the share which lacks a value is above 5 % for good, as far as runs
  /// are alike: further runs will not mend it.
  bool AlwaysTooManyMissing(const LookContext& context) const;
  /// True when values allow a relative change.
  bool RatioPossible() const { return estimator_->Allows(Contrast::kLogRatio); }
  /// Every value so far is > 0.
  bool positive() const { return estimator_->positive(); }
  /// Undecidable, or probably so: the estimate is closer to the margin than the metric's steps tell
  /// apart. False before the first look.
  bool WithinResolution() const;
  /// The rule is `precision`: settled once the interval is narrow enough.
  bool by_width() const { return rule_.kind == RuleKind::kPrecision; }

  /// Fills the numbers: n, means, change, difference, p, verdict. Names are the caller's.
  void Describe(const SequentialDesign& design, Comparison& out) const;
  /// Further pairs (or as much in unpaired runs) until this gate is expected to be settled.
  std::optional<double> ForecastFurtherPairs(const SignificanceLevel& level) const;
  /// An info metric's p-value is at most that level's: it changed.
  bool Changed(const SignificanceLevel& level) const;
  /// Of p: 1 worse, -1 better, 0 neither; on the scale where worse is positive.
  int Direction() const { return p_.direction(); }

 private:
  // What gate or p-value speak about; an info metric without a ratio uses the difference.
  Contrast DecidingScale() const;
  // A gate's as long as the means have one. Of an info metric that is nearly always 0, a single
  // block would tell it, without any spread.
  bool HasRatio() const;
  std::optional<Inference> TakeLook(const SignificanceLevel& level, const LookContext& context,
                                    bool once);
  // What is there to show; its interval is that of the last look.
  std::optional<Inference> Now(Contrast scale) const;
  const RunningInterval& Watched(Contrast scale) const {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  RunningInterval& Watched(Contrast scale) {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  // Takes the look into what all of them have in common, on both scales.
  void Enter(const Inference& inference, const SignificanceLevel& level);
  // What is reported as the interval on that scale.
  std::optional<Interval> IntervalOn(Contrast scale, const Inference& now) const;
  Interval Show(const Interval& interval, Contrast scale) const;
  std::optional<Effect> ShowEffect(double centre, const std::optional<Interval>& interval,
                                   Contrast scale) const;
  void Decide(LookDecision side, const Interval& interval, const Inference& inference,
              const LookContext& context);
  bool NeverDecides(const Inference& inference) const;
  std::optional<double> FurtherPairsToWidth() const;
  std::optional<PairedEstimate> AsPairs(const SignificanceLevel& level) const;

  Subject subject_;
  std::unique_ptr<EffectEstimator> estimator_;
  Estimator asked_;
  Rule rule_;
  RunningP p_;
  double resolution_ = 0;
  const SignificanceLevel* level_ = nullptr;  // of the last look, until there are more values
  RunningInterval watched_ratio_;
  RunningInterval watched_difference_;
  bool looked_ = false;
  bool fixed_ = false;
  bool settled_ = false;
  bool undecidable_ = false;
  Verdict verdict_ = Verdict::kUndecided;
  std::optional<Decision> decided_;
};

}  // namespace benchd

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

/// The expected number of values of each arm, and the metric's step in its unit.
struct LookContext {
  double resolution = 0;
  std::uint64_t blocks = 0;              ///< of the benchmark so far
  std::uint64_t expected_reference = 0;  ///< no verdict if over 5 % of these values are missing
  std::uint64_t expected_candidate = 0;
  bool in_pairs = true;  ///< one value of each arm per block, else any number of runs
};

/// How many of the expected values each arm lacks.
struct LackingValues {
  std::uint64_t reference = 0;
  std::uint64_t candidate = 0;
};

/// Whether over 5 % are missing, so that there is no verdict.
bool TooManyLack(std::uint64_t lacking, std::uint64_t expected);

/// One candidate against one reference in one metric: its looks, its verdict and its report.
///
/// An EffectEstimator of the requested method draws inferences from the values. Rates are analysed
/// as slowdowns x -> 1/x and reported with the sign reversed. Under watching, the intersection of
/// all looks so far is shown and decides (RunningInterval), so the interval of a decided gate stays
/// on its side of the margin. A look that may not decide, and its p-value, do not enter.
class MetricComparison {
 public:
  MetricComparison(const Subject& subject, const SequentialDesign& design);

  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
    estimator_->Add(reference, candidate);
    level_ = nullptr;
  }

  /// A look under watching, after values were added. `level` must outlive this object.
  /// @param may_decide  false while another look is the one that counts (`--runs`).
  void Watch(const SignificanceLevel& level, const LookContext& context, bool may_decide);

  /// The one look of a fixed design. Does nothing if there are too few values.
  void LookOnce(const SignificanceLevel& level, const LookContext& context);

  /// `--at-limit estimate`: an unsettled gate takes the side of its estimate; true if it did.
  bool SettleByEstimate(const LookContext& context);

  bool is_gate() const { return subject_.gate.has_value(); }
  const std::optional<PlannedGate>& gate() const { return subject_.gate; }
  /// Values of the arm with fewer values.
  std::uint64_t values() const {
    return std::min(estimator_->n_reference(), estimator_->n_candidate());
  }
  /// Whether there are enough runs for the one look (EffectEstimator::HasEnough()).
  bool HasEnough() const { return estimator_->HasEnough(); }
  /// Gates: pass or regression once decided, else undecided.
  Verdict verdict() const { return verdict_; }
  const std::optional<Decision>& decided() const { return decided_; }
  /// Two looks under watching exclude each other on the scale that decides: there is no interval
  /// any more and no decision.
  bool Disjoint() const;
  /// The last look's estimate lies outside the interval that is shown.
  bool EstimateOutside() const;
  /// Decided, undecidable, or precise enough to stay undecided by the rule `precision`.
  bool settled() const { return settled_; }
  /// The interval establishes that the metric's steps are too coarse for the margin, or for the
  /// width of the rule `precision`: further values change nothing.
  bool undecidable() const { return undecidable_; }
  LackingValues Missing(const LookContext& context) const;
  /// Whether either arm lacks too many values.
  bool TooManyMissing(const LookContext& context) const;
  /// Whether the share of either arm's runs that lack a value is established to be above 5 %, so
  /// that further runs will not change it.
  bool AlwaysTooManyMissing(const LookContext& context) const;
  /// Whether the values permit a relative change.
  bool RatioPossible() const { return estimator_->Allows(Contrast::kLogRatio); }
  /// Whether every value so far is > 0.
  bool positive() const { return estimator_->positive(); }
  /// Undecidable, or probably so: the estimate is closer to the margin than the metric's steps can
  /// resolve. False before the first look.
  bool WithinResolution() const;
  /// The rule is `precision`: settled once the interval is narrow enough.
  bool by_width() const { return rule_.kind == RuleKind::kPrecision; }

  /// Fills the numbers: n, means, change, difference, p and verdict. The caller fills the names.
  void Describe(const SequentialDesign& design, Comparison& out) const;
  /// Expected number of further pairs (or equivalent unpaired runs) until this gate is settled.
  std::optional<double> ForecastFurtherPairs(const SignificanceLevel& level) const;
  /// An info metric changed: its p-value is at most that level.
  bool Changed(const SignificanceLevel& level) const;
  /// The direction of p on the scale where worse is positive: 1 worse, -1 better, 0 neither.
  int Direction() const { return p_.direction(); }

 private:
  // The scale of the gate or p-value; an info metric without a ratio uses the difference.
  Contrast DecidingScale() const;
  // For a gate, whether the means have a ratio. An info metric that is nearly always 0 needs more,
  // because a single block without any spread would count as a change.
  bool HasRatio() const;
  std::optional<Inference> TakeLook(const SignificanceLevel& level, const LookContext& context,
                                    bool once);
  // The current estimate for display, with the interval of the last look.
  std::optional<Inference> Now(Contrast scale) const;
  const RunningInterval& Watched(Contrast scale) const {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  RunningInterval& Watched(Contrast scale) {
    return scale == Contrast::kLogRatio ? watched_ratio_ : watched_difference_;
  }
  // Intersects the look with all earlier ones, on both scales.
  void Enter(const Inference& inference, const SignificanceLevel& level);
  // The reported interval on that scale.
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
  const SignificanceLevel* level_ = nullptr;  // of the last look, until values are added
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

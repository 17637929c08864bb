#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/analysis/block_values.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/sequential_design.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/early_look.h"
#include "core/stats/paired.h"

namespace benchd {

/// The properties of a comparison's metric that estimators need.
struct Subject {
  bool rate = false;                ///< whether higher is better
  std::optional<PlannedGate> gate;  ///< absent for an info metric

  bool IsControl() const { return gate && gate->control; }
  /// Returns whether the p-value tests the gate's margin. That of a control, whose margin has two
  /// ends, tests whether there is any change.
  bool TestsMargin() const { return gate && !gate->control; }
  /// Returns the hypothesis of the p-value: the gate's threshold, or no change.
  double Hypothesis() const { return TestsMargin() ? gate->threshold : 0; }
};

/// The parameters of a look at the values so far. Without a level only the estimate is computed.
struct Look {
  const SignificanceLevel* level = nullptr;
  double resolution = 0;  ///< the metric's step, in its unit
  bool once = false;  ///< whether it is the one look of a fixed design, without guard and boundary
  /// Whether the look tests the hypothesis, on the scale that decides. Otherwise the look was taken
  /// earlier, and only its interval is computed.
  bool decides = false;
  /// An interval that would contain this one is not computed, because that costs a quantile.
  const Interval* known = nullptr;
};

/// The result for two arms on one scale: the log ratio (of 1/x for rates), or the difference in the
/// metric's unit. Positive is worse.
struct Inference {
  double centre = 0;
  double allowance = 0;  ///< widening of each end by the metric's resolution
  /// Absent without a look, with too few values, or if it is unbounded.
  std::optional<Interval> interval;
  std::optional<double> upper_stated;  ///< LookInterval::upper_stated of `interval`
  double rounding = 0;                 ///< rounding error of the ends, see RunningInterval::Take()
  std::optional<Finding> finding;      ///< result of the test, if the hypothesis was tested
  /// The statistic of exact-t, which replaces `finding`. The resulting decision about the gate
  /// holds even if the interval is unbounded.
  std::optional<double> exact_t;
  LookDecision exact_decision = LookDecision::kContinue;
  std::optional<PairedEstimate> pairs;  ///< input of a forecast, for methods on means of pairs
  /// Relative efficiency of pairs, see RatioPairingGain().
  std::optional<double> relative_efficiency;

  /// Sets the interval, with each end moved outwards by `widening`.
  void SetInterval(const std::optional<LookInterval>& look, double widening = 0);
};

/// The displayed figures of one arm, in the metric's unit. A figure is absent if it cannot be
/// computed.
struct ArmFigures {
  std::uint64_t n = 0;
  std::optional<double> mean;  ///< harmonic mean for rates that are all > 0
  std::optional<double> sd;    ///< standard deviation about `mean`, with divisor n - 1
};

/// Returns the figures of n values. They are absent if n is too small.
ArmFigures FiguresOf(std::uint64_t n, double mean, double sd);
/// Returns the figures of rates from the mean and standard deviation of 1/x: the harmonic mean H =
/// 1 / mean(1/x), and the spread of x about H by the delta method, H^2 sd(1/x).
ArmFigures HarmonicFigures(std::uint64_t n, double inverse_mean, double inverse_sd);
/// Returns the figures of the measured values, with their arithmetic mean.
ArmFigures FiguresOf(const Moments& raw);

/// Returns 1/x for each value. All values must be > 0.
std::vector<double> Inverted(std::vector<double> values);

/// The values of one reference and one candidate in one metric, and the inference that a method
/// draws from them.
///
/// There is one derived class for each method (docs/statistics.md sections 3 to 5).
/// MetricComparison contains the parts that all methods share: gates, p-values under watching,
/// verdicts and displayed figures. Rates are passed as measured. Estimators do not decide anything
/// themselves.
class EffectEstimator {
 public:
  using Values = std::span<const ArmValue>;

  explicit EffectEstimator(const Subject& subject) : subject_(subject) {}
  EffectEstimator(const EffectEstimator&) = delete;
  EffectEstimator& operator=(const EffectEstimator&) = delete;
  virtual ~EffectEstimator() = default;

  /// Adds the values of a block: one value of each arm for pairs, otherwise any number.
  void Add(Values reference, Values candidate);

  std::uint64_t n_reference() const { return n_reference_; }
  std::uint64_t n_candidate() const { return n_candidate_; }
  /// Returns whether every value so far is > 0.
  bool positive() const { return positive_; }

  /// Returns whether the one look may be taken if the number of runs was not chosen beforehand.
  /// This depends only on spreads, never on the effect.
  virtual bool HasEnough() const { return false; }

  /// Returns the figures of the reference and of the candidate.
  virtual std::pair<ArmFigures, ArmFigures> Figures() const = 0;
  /// Returns whether the values so far permit an estimate on this scale. Does not compute the
  /// estimate.
  virtual bool Allows(Contrast scale) const = 0;
  /// Returns the inference from the values so far. Costly results are cached until values are
  /// added.
  ///
  /// @return nothing if there is no estimate on this scale, or if the look should decide but the
  /// method does not look at this number of values
  virtual std::optional<Inference> Infer(Contrast scale, const Look& look) = 0;
  /// Tests whether one arm takes a multiple of the other (stats/early_look.h). Returns nothing for
  /// methods that do not compare means of pairs, and if the means have no ratio.
  virtual std::optional<MultipleTest> TestMultiple(double /*resolution*/) const { return {}; }
  /// Returns the interval of an early look; see EarlyInterval(). Requires TestMultiple().
  virtual std::optional<Interval> IntervalOfEarlyLook(double /*resolution*/,
                                                      const CriticalValues& /*critical*/) const {
    return {};
  }

 protected:
  virtual void Take(Values reference, Values candidate) = 0;

  const Subject& subject() const { return subject_; }
  bool rate() const { return subject_.rate; }
  /// Returns whether a ratio is computed from 1/x.
  bool Harmonic() const { return rate() && positive_; }

 private:
  Subject subject_;
  std::uint64_t n_reference_ = 0;
  std::uint64_t n_candidate_ = 0;
  bool positive_ = true;
};

/// Creates the estimator of one comparison, for the design's method and estimator.
///
/// @param design  the result of MakeSequentialDesign(), which accepts only supported combinations
std::unique_ptr<EffectEstimator> MakeEffectEstimator(const SequentialDesign& design,
                                                     const Subject& subject);
/// Creates an estimator by means, which takes O(1) per value: paired, exact-t or welch (also of
/// subselected means).
std::unique_ptr<EffectEstimator> MakeMeanEstimator(const SequentialDesign& design,
                                                   const Subject& subject);
/// Creates an estimator for several builds of each arm, by the means of the builds (layouts).
std::unique_ptr<EffectEstimator> MakeLayoutEstimator(const Subject& subject);
/// Creates the estimator `quantile:P` under watching, by order statistics.
std::unique_ptr<EffectEstimator> MakeWatchedQuantile(const SequentialDesign& design,
                                                     const Subject& subject);
/// Creates any other estimator: hl, median, quantile or lognormal-mean.
std::unique_ptr<EffectEstimator> MakeValueEstimator(const SequentialDesign& design,
                                                    const Subject& subject);

}  // namespace benchd

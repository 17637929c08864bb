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
#include "core/stats/paired.h"

namespace benchd {

/// The subject of a comparison.
struct Subject {
  bool rate = false;                ///< higher is better
  std::optional<PlannedGate> gate;  ///< absent for an info metric

  /// The hypothesis of the p-value: the gate's threshold, or no change.
  double Hypothesis() const { return gate ? gate->threshold : 0; }
};

/// Parameters of one look at the values so far. Without a level only the estimate is computed.
struct Look {
  const SignificanceLevel* level = nullptr;
  double resolution = 0;  ///< the metric's step, in its unit
  bool once = false;      ///< the one look of a fixed design, without guard and boundary
  /// The look tests the hypothesis, on the scale that decides. Otherwise the look was taken before,
  /// and only its interval is computed.
  bool decides = false;
  /// Intervals that would contain this one are not computed, because each costs a quantile.
  const Interval* known = nullptr;
};

/// The result for two arms on one scale, worse positive: the log ratio (of 1/x for rates), or the
/// difference in the metric's unit.
struct Inference {
  double centre = 0;
  double allowance = 0;              ///< widening of each end by the metric's resolution
  std::optional<Interval> interval;  ///< absent: no look, too few values, or no bound
  double rounding = 0;               ///< of its ends, see RunningInterval::Take()
  std::optional<Finding> finding;    ///< about the hypothesis, if it was tested
  /// For exact-t instead: its statistic and the resulting decision about the gate, which holds even
  /// if the interval has no bound.
  std::optional<double> exact_t;
  LookDecision exact_decision = LookDecision::kContinue;
  std::optional<PairedEstimate> pairs;        ///< of methods on means of pairs, for a forecast
  std::optional<double> relative_efficiency;  ///< of pairs, see RatioPairingGain()
};

/// Displayed figures of one arm, in the metric's unit; absent if they cannot be computed.
struct ArmFigures {
  std::uint64_t n = 0;
  std::optional<double> mean;  ///< harmonic for rates that are all > 0
  std::optional<double> sd;    ///< divisor n - 1; about `mean`
};

/// Figures of n values; absent if n is too small.
ArmFigures FiguresOf(std::uint64_t n, double mean, double sd);
/// Figures of rates, by mean and standard deviation of 1/x: H = 1 / mean(1/x), and H^2 sd(1/x), the
/// spread of x about it by the delta method.
ArmFigures HarmonicFigures(std::uint64_t n, double inverse_mean, double inverse_sd);
/// Figures of the measured values, with their arithmetic mean.
ArmFigures FiguresOf(const Moments& raw);

/// Absent unless finite; never -0.
std::optional<double> IfFinite(double value);
/// 1/x of each value; all > 0.
std::vector<double> Inverted(std::vector<double> values);

/// The values of one reference and one candidate in one metric, and a method's inference from them.
///
/// One derived class for each method (docs/statistics.md sections 3 to 5). MetricComparison
/// contains the parts that all methods share: gates, p-values under watching, verdicts and
/// displayed figures. Rates are passed as measured. An estimator itself decides nothing.
class EffectEstimator {
 public:
  using Values = std::span<const ArmValue>;

  explicit EffectEstimator(const Subject& subject) : subject_(subject) {}
  EffectEstimator(const EffectEstimator&) = delete;
  EffectEstimator& operator=(const EffectEstimator&) = delete;
  virtual ~EffectEstimator() = default;

  /// Adds the values of a block: one of each arm for pairs, else any number.
  void Add(Values reference, Values candidate);

  std::uint64_t n_reference() const { return n_reference_; }
  std::uint64_t n_candidate() const { return n_candidate_; }
  /// Whether every value so far is > 0.
  bool positive() const { return positive_; }

  /// Whether the one look may be taken if the number of runs was not chosen beforehand. Decided by
  /// spreads alone, never by the effect.
  virtual bool HasEnough() const { return false; }

  /// The figures of the reference and of the candidate.
  virtual std::pair<ArmFigures, ArmFigures> Figures() const = 0;
  /// Whether the values so far permit an estimate on that scale. Does not compute it.
  virtual bool Allows(Contrast scale) const = 0;
  /// The inference from the values so far. Costly results are cached until values are added.
  ///
  /// @return nothing if there is no estimate on that scale, or if the look should decide and the
  /// method does not look at this number of values.
  virtual std::optional<Inference> Infer(Contrast scale, const Look& look) = 0;

 protected:
  virtual void Take(Values reference, Values candidate) = 0;

  const Subject& subject() const { return subject_; }
  bool rate() const { return subject_.rate; }
  /// Whether a ratio is computed from 1/x.
  bool Harmonic() const { return rate() && positive_; }

 private:
  Subject subject_;
  std::uint64_t n_reference_ = 0;
  std::uint64_t n_candidate_ = 0;
  bool positive_ = true;
};

/// The estimator of one comparison, for the design's method and estimator.
///
/// @param design  from MakeSequentialDesign(), which accepts only supported combinations.
std::unique_ptr<EffectEstimator> MakeEffectEstimator(const SequentialDesign& design,
                                                     const Subject& subject);
/// Estimators by means, in O(1) per value: paired, exact-t, welch (also of subselected means).
std::unique_ptr<EffectEstimator> MakeMeanEstimator(const SequentialDesign& design,
                                                   const Subject& subject);
/// Several builds of each arm, by the means of the builds (layouts).
std::unique_ptr<EffectEstimator> MakeLayoutEstimator(const Subject& subject);
/// All other estimators: hl, median, quantile, lognormal-mean.
std::unique_ptr<EffectEstimator> MakeValueEstimator(const SequentialDesign& design,
                                                    const Subject& subject);

}  // namespace benchd

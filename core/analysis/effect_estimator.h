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

/// What a comparison is about.
struct Subject {
  bool rate = false;                ///< higher is better
  std::optional<PlannedGate> gate;  ///< absent for an info metric

  /// What the p-value speaks about: the gate's threshold, or no change at all.
  double Hypothesis() const { return gate ? gate->threshold : 0; }
};

/// One look at the values there are. Without a level nobody looks: the estimate alone is asked for.
struct Look {
  const SignificanceLevel* level = nullptr;
  double resolution = 0;  ///< the metric's step, in its unit
  bool once = false;      ///< the one look of a fixed design: neither guard nor boundary
  /// The hypothesis is asked about, on the scale that decides. Else the look was taken before, and
  /// its interval is asked for.
  bool decides = false;
  /// An interval that would contain this one is not asked for: a quantile each time is dear.
  const Interval* known = nullptr;
};

/// What two arms say on one scale, worse positive: the log ratio (of 1/x for rates), or the
/// difference in the metric's unit.
struct Inference {
  double centre = 0;
  double allowance = 0;              ///< what the metric's resolution adds to each end
  std::optional<Interval> interval;  ///< absent: nobody looked, too few values, or no bound
  double rounding = 0;               ///< of its ends, see RunningInterval::Take()
  std::optional<Finding> finding;    ///< about the hypothesis, where it was asked about
  /// Of exact-t instead: its statistic, and what that says about the gate, which counts also where
  /// the interval has no bound.
  std::optional<double> exact_t;
  LookDecision exact_decision = LookDecision::kContinue;
  std::optional<PairedEstimate> pairs;        ///< of methods on means of pairs, for a forecast
  std::optional<double> relative_efficiency;  ///< of pairs, see RatioPairingGain()
};

/// What is shown of one arm; in the metric's unit, absent where it cannot be had.
struct ArmFigures {
  std::uint64_t n = 0;
  std::optional<double> mean;  ///< harmonic for rates that are all > 0
  std::optional<double> sd;    ///< divisor n - 1; about the mean that is shown
};

/// Of n values; what they are too few for is absent.
ArmFigures FiguresOf(std::uint64_t n, double mean, double sd);
/// Of rates, by mean and standard deviation of 1/x: H = 1 / mean(1/x), and H^2 sd(1/x), the delta
/// method's spread of x about it.
ArmFigures HarmonicFigures(std::uint64_t n, double inverse_mean, double inverse_sd);
/// Of values as measured, with their arithmetic mean.
ArmFigures FiguresOf(const Moments& raw);

/// Absent unless finite; never -0.
std::optional<double> IfFinite(double value);
/// 1/x of each value; all > 0.
std::vector<double> Inverted(std::vector<double> values);

/// The values of one reference and one candidate in one metric, and what a method infers of them.
///
/// One derived class for each way to look at data (docs/statistics.md sections 3 to 5); all that is
/// the same for them (gates, p-values under watching, verdicts, what is shown) is
/// MetricComparison's. Rates come in as measured. Nothing here decides anything by itself.
class EffectEstimator {
 public:
  using Values = std::span<const ArmValue>;

  explicit EffectEstimator(const Subject& subject) : subject_(subject) {}
  EffectEstimator(const EffectEstimator&) = delete;
  EffectEstimator& operator=(const EffectEstimator&) = delete;
  virtual ~EffectEstimator() = default;

  /// Takes what a block gave: one value of each arm where they are pairs, else any number.
  void Add(Values reference, Values candidate);

  std::uint64_t n_reference() const { return n_reference_; }
  std::uint64_t n_candidate() const { return n_candidate_; }
  /// Every value so far is > 0.
  bool positive() const { return positive_; }

  /// Whether the one look may be taken, where the number of runs was not chosen beforehand: decided
  /// by spreads alone, never by the effect.
  virtual bool HasEnough() const { return false; }

  /// Of the reference and of the candidate.
  virtual std::pair<ArmFigures, ArmFigures> Figures() const = 0;
  /// Whether the values so far leave an estimate on that scale open; computes none.
  virtual bool Allows(Contrast scale) const = 0;
  /// What the values say now. What is costly is kept until there are more of them.
  ///
  /// @return nothing where there is no estimate on that scale, or where a look was to decide and
  ///         the method does not look at so many values.
  virtual std::optional<Inference> Infer(Contrast scale, const Look& look) = 0;

 protected:
  virtual void Take(Values reference, Values candidate) = 0;

  const Subject& subject() const { return subject_; }
  bool rate() const { return subject_.rate; }
  /// Whether a ratio is one of 1/x.
  bool Harmonic() const { return rate() && positive_; }

 private:
  Subject subject_;
  std::uint64_t n_reference_ = 0;
  std::uint64_t n_candidate_ = 0;
  bool positive_ = true;
};

/// What the design's method and estimator ask for, for one comparison.
///
/// @param design  of MakeSequentialDesign(): every combination that it lets pass has one.
std::unique_ptr<EffectEstimator> MakeEffectEstimator(const SequentialDesign& design,
                                                     const Subject& subject);
/// Those by means, in O(1) a value: paired, exact-t, welch (also of subselected means).
std::unique_ptr<EffectEstimator> MakeMeanEstimator(const SequentialDesign& design,
                                                   const Subject& subject);
/// Several builds of each arm, by the means of the builds (layouts).
std::unique_ptr<EffectEstimator> MakeLayoutEstimator(const Subject& subject);
/// All others: hl, median, quantile, lognormal-mean.
std::unique_ptr<EffectEstimator> MakeValueEstimator(const SequentialDesign& design,
                                                    const Subject& subject);

}  // namespace benchd

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/gate_plan.h"
#include "core/analysis/look_plan.h"
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

/// An estimate on one scale, worse positive: the log ratio (of 1/x for rates), or the difference.
struct ScaleEstimate {
  double centre = 0;
  double widening = 0;  ///< what the metric's resolution adds to each end of an interval
};

/// -1, 0 or 1.
inline int SignOf(double value) { return (value > 0) - (value < 0); }
/// Absent unless finite; never -0.
std::optional<double> IfFinite(double value);
/// 1/x of each value; all > 0.
std::vector<double> Inverted(std::vector<double> values);

struct ArmCounts {
  std::uint64_t reference = 0;
  std::uint64_t candidate = 0;
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

/// The values of one reference and one candidate in one metric, and what a method says of them.
///
/// One derived class for each way to look at data (docs/statistics.md sections 3 to 5); everything
/// that is the same for all of them (gates, verdicts, what is shown) is MetricComparison's. Rates
/// come in as measured. Nothing here decides anything by itself.
class Evidence {
 public:
  using Values = std::span<const ArmValue>;

  explicit Evidence(const Subject& subject) : subject_(subject) {}
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;
  virtual ~Evidence() = default;

  /// Takes what a block gave: one value of each arm where they are pairs, else any number.
  void Add(Values reference, Values candidate);

  /// How many values each arm has; asked at every look, so cheaper than the figures.
  virtual ArmCounts Counts() const = 0;
  virtual ArmFigures Reference() const = 0;
  virtual ArmFigures Candidate() const = 0;

  /// Whether there is an estimate on that scale; for rates all values have to be > 0 for a ratio.
  virtual bool Defined(Contrast scale) const = 0;
  /// Whether there can still be one on the log scale with the values there are.
  virtual bool RatioPossible() const { return Defined(Contrast::kLogRatio); }
  /// Every value so far is > 0.
  bool positive() const { return positive_; }
  /// As it stands; needs Defined().
  virtual ScaleEstimate On(Contrast scale, double resolution) const = 0;
  /// Of the last look, on that scale; absent before one, or where it has no bound.
  virtual std::optional<Interval> IntervalOn(Contrast scale, double resolution) const = 0;

  /// A look under watching, at what Add() took last; needs Defined(deciding).
  /// @return false when this method does not look here (too few values, or not one of its looks).
  virtual bool Look(Contrast deciding, double resolution, Level& level) = 0;
  /// The one look of a fixed plan; false when there is no estimate, or too few values.
  virtual bool LookOnce(Contrast deciding, double resolution, const Level& level) = 0;

  /// What pairs saved on that scale; see pairing_gain.h. Nothing for methods without pairs.
  virtual std::optional<double> PairingGain(Contrast /*scale*/) const { return std::nullopt; }

  /// What the last look says about a gate.
  virtual MarginDecision Judge(Contrast scale, double resolution) const;

  /// Two-sided; 1 before the first look.
  virtual double p_value() const = 0;
  /// Sign of the estimate at the look that attained the p-value; 0 before the first look.
  virtual int direction() const = 0;

  /// The estimate as ForecastPairs() takes it, from which a time to a verdict is guessed.
  virtual std::optional<PairedEstimate> ForForecast(Contrast scale, double resolution,
                                                    const Level& level) const;

 protected:
  virtual void Take(Values reference, Values candidate) = 0;

  const Subject& subject() const { return subject_; }
  bool rate() const { return subject_.rate; }
  /// Whether a ratio is one of 1/x.
  bool Harmonic() const { return rate() && positive_; }

 private:
  Subject subject_;
  bool positive_ = true;
};

/// The p-value of an Evidence that may be watched or looked at once: a running one until the one
/// look, then that look's.
/// @tparam Running  RunningPValue or RunningOneLookP.
template <typename Running>
class LookP {
 public:
  Running& running() { return running_; }
  /// Takes the one look of a fixed plan; `centre` is its estimate.
  void TakeOnce(double p, double centre) {
    once_ = p;
    once_direction_ = SignOf(centre);
  }
  bool once() const { return once_.has_value(); }
  double value() const { return once_.value_or(running_.value()); }
  int direction() const { return once_ ? once_direction_ : running_.direction(); }

 private:
  Running running_;
  std::optional<double> once_;
  int once_direction_ = 0;
};

}  // namespace benchd

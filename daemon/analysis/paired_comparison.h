#pragma once

#include <cstdint>
#include <optional>

#include "daemon/analysis/gate_plan.h"
#include "daemon/analysis/look_plan.h"
#include "daemon/model/comparison.h"
#include "daemon/stats/decision.h"
#include "daemon/stats/p_value.h"
#include "daemon/stats/paired_moments.h"

namespace benchd {

/// One candidate against one reference in one metric: its pairs, its looks, its verdict.
///
/// Takes pairs one by one and keeps O(1) state. Rates are analysed as slowdowns x -> 1/x and
/// reported with the sign turned back. A gate that is decided keeps its verdict and the interval
/// that decided; its present interval and p go on beside them. A value type.
class PairedComparison {
 public:
  /// @param rate  higher is better.
  /// @param gate  absent for an info metric.
  PairedComparison(bool rate, std::optional<PlannedGate> gate);

  /// Takes the pair of one block; both finite.
  ///
  /// @param positive  every sample behind the two is > 0; without that a rate has no ratio.
  void Add(double reference, double candidate, bool positive);

  /// A look under watching after a pair; pairs() >= plan.first_look.
  ///
  /// @param resolution  the metric's step, in its unit.
  /// @param blocks      of the benchmark so far; over 5 % without this pair means no verdict here.
  /// @param may_decide  false while another look is the one that counts (`--runs`).
  void Look(Level& level, double resolution, std::uint64_t blocks, bool may_decide);

  /// The one look of a fixed plan, without the guard; needs two pairs, else nothing happens.
  void LookOnce(const Level& level, double resolution, std::uint64_t blocks);

  /// `--at-limit estimate`: an undecided gate takes the side of its estimate; true if it did.
  bool SettleByEstimate(std::uint64_t blocks);

  bool is_gate() const { return gate_.has_value(); }
  const std::optional<PlannedGate>& gate() const { return gate_; }
  std::uint64_t pairs() const { return raw_.n(); }
  /// Gates: pass or regression once decided, else undecided.
  Verdict verdict() const { return verdict_; }
  /// True when the estimate has a relative change: both means > 0 and, for rates, every value.
  bool RatioPossible() const;
  /// True when no number of pairs can decide this gate: the estimate is closer to the margin than
  /// the metric's steps tell apart. False before the first look.
  bool WithinResolution() const;

  /// Fills the numbers: n, means, change, difference, p, verdict. Names are the caller's.
  void Describe(const LookPlan& plan, Comparison& out) const;
  /// Further pairs until this gate is expected to be decided at that level.
  std::optional<double> ForecastFurtherPairs(const Level& level) const;
  /// Of p: 1 worse, -1 better, 0 neither; on the scale where worse is positive.
  int Direction() const;

 private:
  struct Estimates {
    CentredMoments raw;
    CentredMoments analysed;                   // of 1/x for rates, else the same
    std::optional<PairedEstimate> ratio;       // log scale, of the slowdown for rates
    std::optional<PairedEstimate> difference;  // worse is positive, for rates too
  };

  bool Harmonic() const { return rate_ && positive_; }
  bool RatioPossible(const CentredMoments& analysed) const {
    return (!rate_ || positive_) && RatioDefined(analysed);
  }
  Estimates Estimate() const;
  // What gate or p-value speak about; an info metric without a ratio uses the difference.
  std::optional<PairedEstimate> Deciding(const Estimates& estimates) const;
  bool DecidesByRatio(const Estimates& estimates) const;
  Interval IntervalOf(const PairedEstimate& estimate) const;
  Effect ShowChange(const PairedEstimate& estimate) const;
  Effect ShowDifference(const PairedEstimate& estimate) const;
  Interval ShowDecisive(const Interval& interval, bool ratio) const;
  void Decide(const Estimates& estimates, std::uint64_t blocks);
  bool TooManyMissing(std::uint64_t blocks) const;
  double Hypothesis() const { return gate_ ? gate_->threshold : 0; }

  bool rate_;
  std::optional<PlannedGate> gate_;
  bool positive_ = true;  // every value so far; what a rate needs
  PairedMoments raw_;
  PairedMoments inverse_;  // of 1/x, rates only, while positive_
  double resolution_ = 0;

  std::optional<double> critical_t_;  // of the last look, if the last pair had one
  RunningPValue running_p_;
  bool looked_ = false;
  std::optional<double> fixed_p_;  // also: the look was the one of a fixed plan
  int fixed_direction_ = 0;
  Verdict verdict_ = Verdict::kUndecided;
  std::optional<Decision> decided_;
};

}  // namespace benchd

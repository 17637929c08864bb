#pragma once

#include "core/stats/paired_estimate.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// |centre - hypothesis| - widening, at least 0: what the resolution leaves of a distance.
double ExcessDistance(double centre, double hypothesis, double widening);

/// What one look has to say against a hypothesis, before a boundary weighs it.
struct Finding {
  double distance = 0;  ///< from the hypothesis, in standard errors; infinite without any spread
  double dof = 1;       ///< of the Student law that `distance` follows
  double clock = 0;     ///< number of pairs, or of pairs that would carry as much
  int direction = 0;    ///< sign of the estimate: -1, 0, 1
};

/// How many standard errors the estimate lies from `hypothesis` once the resolution's widening and
/// the skewness guard have taken their part; >= 0, infinite when the pairs do not vary and anything
/// is left. The t interval reaches the hypothesis exactly where t equals this number.
double GuardedDistance(const PairedEstimate& estimate, double hypothesis);

/// The p-value of one look at a number of pairs chosen beforehand: 2 P(t_{n-1} > |T|) without the
/// guard, T reduced by the widening. Two-sided; n >= 2.
double FixedPValue(const PairedEstimate& estimate, double hypothesis);

/// An always-valid p-value: the smallest of all looks so far, two-sided, so it never rises.
///
/// It is below a level exactly if some look's interval at that level excluded the hypothesis. Holds
/// under watching: P(it ever falls to alpha or below) <= alpha when the hypothesis is true.
/// A value type, one per comparison; always used with the same hypothesis and boundary.
class RunningPValue {
 public:
  /// Takes one look; n >= boundary.first_look(). Costs tail probabilities only when p can fall.
  void Update(const PairedEstimate& estimate, double hypothesis,
              const SequentialBoundary& boundary);

  /// The same for any other estimate that has a Student law.
  void Update(const Finding& finding, const SequentialBoundary& boundary);

  /// 1 before the first look.
  double value() const { return value_; }
  /// Sign of the estimate (-1, 0, 1) at the look that attained value(); 0 before the first look.
  int direction() const { return direction_; }

 private:
  double value_ = 1;
  double strength_ = 0;
  int direction_ = 0;
  bool looked_ = false;
};

}  // namespace benchd

#pragma once

#include <optional>

#include "core/stats/paired_interval.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// What one look says by an estimator other than the mean: on the log scale for ratios, in the
/// values' unit for differences.
struct OneLook {
  double estimate = 0;
  /// Absent while there are too few values for any interval at that level.
  std::optional<Interval> interval;
};

/// How any fixed-sample interval becomes one that may be watched: at a look with n pairs it is
/// taken at this two-sided level, alpha_n = 2 Q(z_n) (docs/statistics.md section 4).
///
/// @param clock  number of pairs, at least boundary.first_look(); for two independent arms the
///               number of pairs that would carry as much (WelchEstimate::clock).
double LevelOfOneLook(const SequentialBoundary& boundary, double clock);

/// The always-valid p-value of such an estimator, out of its fixed-sample p-values: the smallest so
/// far, each on the boundary's scale. It is at most a level exactly if some look's interval at that
/// level excluded the hypothesis (Q and its inverse taken as exact). A value type.
class RunningOneLookP {
 public:
  /// Takes one look.
  ///
  /// @param p          two-sided fixed-sample p-value of this look, in [0, 1].
  /// @param direction  sign of the estimate: -1, 0 or 1.
  /// @param clock      as above.
  void Update(double p, int direction, double clock, const SequentialBoundary& boundary);

  /// 1 before the first look.
  double value() const { return value_; }
  /// Of the estimate at the look that attained value(); 0 before the first look.
  int direction() const { return direction_; }

 private:
  double value_ = 1;
  int direction_ = 0;
  bool looked_ = false;
};

}  // namespace benchd

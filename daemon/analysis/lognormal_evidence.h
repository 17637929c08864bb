#pragma once

#include <optional>

#include "daemon/analysis/evidence.h"
#include "daemon/stats/moments.h"
#include "daemon/stats/one_look.h"

namespace benchd {

/// `lognormal-mean` (docs/statistics.md section 5): the ratio of the means of two log-normal arms,
/// under watching or at one look; O(1). Takes the arms for independent, also when they come in
/// pairs. On ratios only.
class LognormalEvidence final : public Evidence {
 public:
  using Evidence::Evidence;

  ArmFigures Reference() const override;
  ArmFigures Candidate() const override;
  bool Defined(Contrast scale) const override;
  bool RatioPossible() const override { return positive(); }
  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return fixed_p_.value_or(running_p_.value()); }
  int direction() const override { return fixed_p_ ? fixed_direction_ : running_p_.direction(); }

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  struct Arm {
    Moments raw;
    Moments logs;  // of the values, or of 1/x for rates
  };
  double Widening(double resolution) const;
  double Clock() const;
  double PValueAt(double resolution) const;

  Arm reference_;
  Arm candidate_;
  std::optional<double> alpha_;  // of the last look, if no value came after it
  RunningOneLookP running_p_;
  std::optional<double> fixed_p_;
  int fixed_direction_ = 0;
};

}  // namespace benchd

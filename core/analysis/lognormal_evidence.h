#pragma once

#include <optional>

#include "core/analysis/evidence.h"
#include "core/stats/moments.h"
#include "core/stats/one_look.h"

namespace benchd {

/// `lognormal-mean` (docs/statistics.md section 5): the ratio of the means of two log-normal arms,
/// under watching or at one look; O(1). Takes the arms for independent, also when they come in
/// pairs. On ratios only.
class LognormalEvidence final : public Evidence {
 public:
  using Evidence::Evidence;

  ArmCounts Counts() const override { return {reference_.raw.count(), candidate_.raw.count()}; }
  ArmFigures Reference() const override { return FiguresOf(reference_.raw); }
  ArmFigures Candidate() const override { return FiguresOf(candidate_.raw); }
  bool Defined(Contrast scale) const override;
  bool RatioPossible() const override { return positive(); }
  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return p_.value(); }
  int direction() const override { return p_.direction(); }

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
  LookP<RunningOneLookP> p_;
};

}  // namespace benchd

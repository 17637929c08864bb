#pragma once

#include <optional>

#include "core/analysis/evidence.h"
#include "core/stats/moments.h"
#include "core/stats/p_value.h"
#include "core/stats/welch.h"

namespace benchd {

/// One arm's values in O(1), as measured and, for rates, as slowness.
class ArmMoments {
 public:
  /// @param harmonic  1/x exists, also for all values before.
  void Add(double value, bool harmonic);
  const Moments& raw() const { return raw_; }
  const Moments& inverse() const { return inverse_; }
  ArmFigures Figures(bool harmonic) const;

 private:
  Moments raw_;
  Moments inverse_;
};

/// `welch` (docs/statistics.md section 4): two independent arms, by their means, under watching or
/// at one look. With the values of SubselectedMean() also `subselection`.
class WelchEvidence final : public Evidence {
 public:
  using Evidence::Evidence;

  ArmCounts Counts() const override { return {reference_.raw().count(), candidate_.raw().count()}; }
  ArmFigures Reference() const override { return reference_.Figures(Harmonic()); }
  ArmFigures Candidate() const override { return candidate_.Figures(Harmonic()); }
  bool Defined(Contrast scale) const override;
  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return p_.value(); }
  int direction() const override { return p_.direction(); }

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  WelchEstimate EstimateOn(Contrast scale, double resolution) const;

  ArmMoments reference_;
  ArmMoments candidate_;
  /// The law of the last look; absent when values came after it.
  enum class LastLook { kNone, kWatched, kOnce };
  LastLook last_look_ = LastLook::kNone;
  std::optional<SequentialBoundary> boundary_;
  double fixed_alpha_ = 1;
  LookP<RunningPValue> p_;
};

}  // namespace benchd

#pragma once

#include <optional>

#include "core/analysis/evidence.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/exact_t.h"
#include "core/stats/paired.h"
#include "core/stats/welch.h"

namespace benchd {

/// Pairs and their moments in O(1): what the methods on means of pairs share.
class PairedMeans : public Evidence {
 public:
  using Evidence::Evidence;

  ArmCounts Counts() const final { return {raw_.n(), raw_.n()}; }
  ArmFigures Reference() const final;
  ArmFigures Candidate() const final;
  bool Defined(Contrast scale) const final;
  std::optional<double> PairingGain(Contrast scale) const final;

 protected:
  void Take(Values reference, Values candidate) override;

  const PairedMoments& raw() const { return raw_; }
  /// Of 1/x for rates, as long as that is possible, else as measured.
  CentredMoments Analysed() const { return Harmonic() ? inverse_.Centred() : raw_.Centred(); }
  /// With the widening that the resolution asks for; needs Defined().
  PairedEstimate EstimateOn(Contrast scale, double resolution) const;

 private:
  PairedMoments raw_;
  PairedMoments inverse_;  // rates only
};

/// `paired` with the mean (docs/statistics.md sections 3 and 4): the default, with its skewness
/// guard, under watching by either boundary; and the textbook interval of one look.
class PairedEvidence final : public PairedMeans {
 public:
  using PairedMeans::PairedMeans;

  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return p_.value(); }
  int direction() const override { return p_.direction(); }
  std::optional<PairedEstimate> ForForecast(Contrast scale, double resolution,
                                            const Level& level) const override;

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  std::optional<double> critical_t_;  // of the last look, if the last pair had one
  LookP<RunningPValue> p_;
};

/// `exact-t` (docs/statistics.md section 4): exact for jointly normal pairs, against the margin
/// itself instead of an interval for the ratio.
class ExactTEvidence final : public PairedMeans {
 public:
  using PairedMeans::PairedMeans;

  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  /// Never: it is a method of many looks.
  bool LookOnce(Contrast, double, const Level&) override { return false; }
  MarginDecision Judge(Contrast scale, double resolution) const override;
  double p_value() const override { return running_p_.value(); }
  int direction() const override { return running_p_.direction(); }
  std::optional<PairedEstimate> ForForecast(Contrast scale, double resolution,
                                            const Level& level) const override;

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  double Factor() const;
  double TOn(Contrast scale, double resolution) const;

  std::optional<double> critical_;  // of the last look, if the last pair had one
  double t_ = 0;                    // of that look, on the scale that decides
  RunningExactPValue running_p_;
};

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

#pragma once

#include <optional>

#include "core/analysis/evidence.h"
#include "core/stats/p_value.h"
#include "core/stats/paired_moments.h"

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

}  // namespace benchd

#pragma once

#include <optional>

#include "core/analysis/paired_evidence.h"
#include "core/stats/exact_t.h"

namespace benchd {

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

}  // namespace benchd
